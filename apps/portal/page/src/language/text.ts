import { createInstance, type i18n } from 'i18next'
import { LANGUAGE } from './choice.ts'
import english from './en.json' with { type: 'json' }

/** What stands in the place of `{{name}}` in a text. `count` chooses between one and several, too. */
export type TextValues = Readonly<Record<string, string | number>>

/**
 * The catalogue. The key of a text is its English, so English needs only its singulars: of `{{count}} beings`
 * there is `{{count}} beings_one`. German is loaded before any module that has texts goes on.
 */
export const catalogue: i18n = createInstance()
void catalogue.init({
  lng: LANGUAGE,
  fallbackLng: 'en',
  resources: {
    en: { translation: english },
    ...(LANGUAGE === 'de' ? { de: { translation: (await import('./de.json')).default } } : {}),
  },
  initAsync: false,
  keySeparator: false,
  nsSeparator: false,
  interpolation: { escapeValue: false }, // React escapes
})

/** A text in the language of the page. @param text its English, with `{{name}}` for each value */
export const t = (text: string, values?: TextValues): string =>
  values === undefined && LANGUAGE === 'en' ? text : catalogue.t(text, { ...values })
