import { t } from '../language/index.ts'
import { typedJson } from '../text/typed-json.ts'

/** Those fields of a form that are not empty, without spaces around them. */
export const given = <T extends Readonly<Record<string, string>>>(fields: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, text.trim()]])),
  ) as Partial<T>

/**
 * The value of a field of JSON.
 * @param subject what is not JSON, with its verb: `the role flow is`.
 * @throws {Error} naming it
 */
export function parsed(text: string, subject: string): unknown {
  try {
    return typedJson(text)
  } catch (error) {
    throw new Error(t('{{subject}} not JSON: {{message}}', { subject, message: (error as Error).message }))
  }
}
