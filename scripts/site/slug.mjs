/**
 * The anchor of a heading as GitHub writes it, so that a link to a heading works in the repository and on the site.
 *
 * @param {string} heading its text, without Markdown
 */
export const slugOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
