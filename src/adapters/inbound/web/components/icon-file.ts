/** The address of the file with all icons, which has its hash in it. Written by npm run icons. */
export const ICON_FILE = '/static/aaf3098e7b10/icons.svg';
