// The language that the reader has chosen for the page. A cookie tells it to the server, which sends the document.
import { languageCookie, languages } from '../languages.ts';

export const languageChoices = ['system', ...languages] as const;
export type LanguageChoice = (typeof languageChoices)[number];

const yearSeconds = 365 * 24 * 60 * 60;

/** An unknown stored value counts as the system's language, as it does for the server. */
export function chosenLanguage(): LanguageChoice {
  const stored = document.cookie.split('; ').find((each) => each.startsWith(`${languageCookie}=`));
  return languages.find((each) => stored === `${languageCookie}=${each}`) ?? 'system';
}

/** Loads the page in that language. */
export function chooseLanguage(choice: LanguageChoice): void {
  const age = choice === 'system' ? 0 : yearSeconds;
  const secure = location.protocol === 'https:' ? '; secure' : '';
  document.cookie = `${languageCookie}=${choice}; path=/; max-age=${age}; samesite=lax${secure}`;
  location.reload();
}
