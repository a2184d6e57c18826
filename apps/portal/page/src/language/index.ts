/** The texts of the page in English and German. `de.json` is the catalogue. */
export { LANGUAGE, LANGUAGES, type Language, LOCALE, setLanguage } from './choice.ts'
export { Trans } from './Trans.tsx'
export { t } from './text.ts'
