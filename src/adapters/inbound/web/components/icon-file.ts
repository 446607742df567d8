/** The address of the file with all icons, which has its hash in it. Written by npm run icons. */
export const ICON_FILE = '/static/e1990913ad3c/icons.svg';
