import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/** Adds what `.env` says: the environment itself wins, and an empty value is an unset one. */
export function loadEnvironment(env: NodeJS.ProcessEnv, file: string): void {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return // there is none, which is how most people live
  }
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (value !== '' && env[name] === undefined) env[name] = value
  }
}
