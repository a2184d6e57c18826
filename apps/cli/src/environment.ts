import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/** Adds the variables of a `.env` file. Variables that are set already win; an empty value counts as unset. */
export function loadEnvironment(env: NodeJS.ProcessEnv, file: string): void {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return // most folders have none
  }
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (value !== '' && env[name] === undefined) env[name] = value
  }
}
