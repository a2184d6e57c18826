import { locatePostgres, locateSignalsPostgres, locateTemporal } from './places.ts'

/** A variable that a program of one's own needs to work beside an instance. */
export interface OwnVariable {
  readonly name: string
  readonly value: string
  /** it holds a password */
  readonly isSecret: boolean
  /** what a worker needs acts for no person, and what a client needs runs no being */
  readonly for: 'worker' | 'client' | 'both'
}

/**
 * How a worker or a client program of one's own reaches the services of an instance.
 * @throws {LocalError} saying how to start
 */
export function ownVariables(dataDir: string, env: NodeJS.ProcessEnv = process.env): OwnVariable[] {
  const { url, peopleUrl } = locatePostgres(dataDir, env)
  const signals = locateSignalsPostgres(dataDir, env)
  const temporal = Object.entries(locateTemporal(dataDir, env).env).filter(([name]) =>
    name.startsWith('TEMPORAL_'),
  )
  const login = (name: string, value: string, who: 'worker' | 'client'): OwnVariable => ({
    name,
    value,
    isSecret: hasPassword(value),
    for: who,
  })
  return [
    login('DATABASE_URL', url, 'worker'),
    login('TREEOS_PEOPLE_DATABASE_URL', peopleUrl, 'client'),
    ...(signals === null ? [] : [login('TREEOS_SIGNALS_DATABASE_URL', signals.url, 'worker')]),
    ...temporal.map(
      ([name, value = '']): OwnVariable => ({
        name,
        value,
        isSecret: name === 'TEMPORAL_API_KEY' || name.endsWith('_DATA'),
        for: 'both',
      }),
    ),
  ]
}

const hasPassword = (url: string): boolean =>
  (URL.parse(url)?.password ?? '') !== '' || url.includes('password=')
