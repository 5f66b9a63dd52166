/** White space as HTML sees it in running text. */

/**
 * The no-break space is one more space here: in prose it is layout, and it would glue words together for whoever searches.
 * Only what is not a single space already is matched: replacing every space by a space took a tenth of a page's time.
 */
const UNTIDY = /[\t\n\r\f\u00a0][ \t\n\r\f\u00a0]*| [ \t\n\r\f\u00a0]+/g;

/** Every run of white space as one space. */
export function collapseSpace(text: string): string {
  return text.replace(UNTIDY, ' ');
}
