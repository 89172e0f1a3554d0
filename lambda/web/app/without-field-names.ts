// Texts of the API for readers who know no fields of requests.

/** A remark in parentheses that begins with the name of a field, such as `(streamBackend manifest)`. */
const fieldRemark = / \(`?[a-z]+[A-Z][A-Za-z]*`?[^()]*\)/g;

/** A text without its remarks that name fields: the sentence around them is complete. */
export function withoutFieldNames(text: string): string {
  return text.replaceAll(fieldRemark, '');
}
