// The language that the reader has chosen for the page. The server reads it from a cookie.
import { languageCookie, languages } from '../languages.ts';

export const languageChoices = ['browser', ...languages] as const;
export type LanguageChoice = (typeof languageChoices)[number];

const yearSeconds = 365 * 24 * 60 * 60;

/** An unknown stored value counts as none, as it does for the server: the browser's languages decide. */
export function chosenLanguage(): LanguageChoice {
  const stored = document.cookie.split('; ').find((each) => each.startsWith(`${languageCookie}=`));
  return languages.find((each) => stored === `${languageCookie}=${each}`) ?? 'browser';
}

/** Loads the page in that language. */
export function chooseLanguage(choice: LanguageChoice): void {
  const age = choice === 'browser' ? 0 : yearSeconds;
  const secure = location.protocol === 'https:' ? '; secure' : '';
  document.cookie = `${languageCookie}=${choice}; path=/; max-age=${age}; samesite=lax${secure}`;
  location.reload();
}
