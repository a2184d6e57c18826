/** The languages of the page, each by its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES

/** Kept in the browser, beside the colours. */
const KEPT = 'treeos-language'

const isLanguage = (text: string | null): text is Language => text !== null && Object.hasOwn(LANGUAGES, text)
const baseOf = (locale: string): string => locale.split('-', 1)[0] ?? ''

interface LanguageWishes {
  /** what the person chose in the menu */
  readonly chosen: string | null
  /** what the browser prefers, the most wanted first: `['de-AT', 'en']` */
  readonly preferred: readonly string[]
}

/** The language that was chosen, else the first choice of the browser, else English. */
export function languageOf({ chosen, preferred }: LanguageWishes): Language {
  if (isLanguage(chosen)) return chosen
  const first = baseOf(preferred[0] ?? '')
  return isLanguage(first) ? first : 'en'
}

/** How numbers and times are written: as the country of the browser does, if it speaks the language. */
export const localeOf = (language: Language, preferred: readonly string[]): string =>
  preferred.find((locale) => baseOf(locale) === language) ?? language

/** Tests run without a browser. There the page speaks English. */
const isInBrowser = typeof document !== 'undefined'
const preferred: readonly string[] = isInBrowser ? navigator.languages : ['en']

/** A browser may refuse to keep anything. */
function chosen(): string | null {
  try {
    return isInBrowser ? localStorage.getItem(KEPT) : null
  } catch {
    return null
  }
}

/** The language of the page. It changes only when the page is loaded again. */
export const LANGUAGE: Language = languageOf({ chosen: chosen(), preferred })
export const LOCALE: string = localeOf(LANGUAGE, preferred)

/** Keeps the choice and loads the page anew: texts of tables are made when their module is loaded. */
export function setLanguage(language: Language): void {
  if (language === LANGUAGE) return
  localStorage.setItem(KEPT, language)
  location.reload()
}
