/** The address of the file with all icons, which has its hash in it. Written by npm run icons. */
export const ICON_FILE = '/static/b252b7b74ce4/icons.svg';
