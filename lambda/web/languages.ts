// The languages of the page. Each has a document of its own, whose scripts have no text of another language.

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** Each language by its own name, which its readers find in a page of any language. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/** The cookie with the language that the reader has chosen. Without it, the browser's languages decide. */
export const languageCookie = 'language';

/** The name of a document. That of the first language is the site's usual one. */
export function documentOf(language: Language): string {
  return language === languages[0] ? 'index.html' : `index-${language}.html`;
}
