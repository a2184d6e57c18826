import { t } from '../language/index.ts'
/** From whom the qualities of a place are hidden, as the server says. */
export type HiddenPlace = 'being' | 'reader'

/** A value that a flow read. One that is left out is missing, unless it is hidden. */
export function valueText(value: unknown, hidden?: HiddenPlace): string {
  if (hidden !== undefined) return hidden === 'reader' ? t('hidden from you') : t('hidden from the being')
  return value === undefined ? t('missing') : JSON.stringify(value)
}
