/** The address of the file with all icons, which has its hash in it. Written by npm run icons. */
export const ICON_FILE = '/static/09216d92495c/icons.svg';
