/** The address of the file with all icons, which has its hash in it. Written by npm run icons. */
export const ICON_FILE = '/static/583a2e5aeb9f/icons.svg';
