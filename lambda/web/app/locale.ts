// The locale of dates and numbers: the reader's own variant of the page's language, such as en-GB.
import { language } from '#words/language.ts';

export const locale = navigator.languages.find((each) => each.split('-')[0] === language) ?? language;
