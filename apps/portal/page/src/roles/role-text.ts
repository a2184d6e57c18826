import { orderedJson } from '../text/ordered-json.ts'

/** A role as text whose lines can be compared: its fields as JSON, then its prompt line by line. */
export function roleText(role: Readonly<Record<string, unknown>>): string {
  const { prompt, ...fields } = role
  const said = typeof prompt === 'string' ? prompt : JSON.stringify(prompt)
  return `${orderedJson(fields, 2)}\n\n${said ?? ''}\n`
}
