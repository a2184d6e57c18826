import { describe, expect, it } from 'vitest'
import { ServiceAwayError, type WaitOptions, waitFor } from './wait-for.ts'

const away = Object.assign(new Error('not here'), { code: 'ECONNREFUSED' })

function waiting(options: Partial<WaitOptions> = {}) {
  const reported: unknown[] = []
  const onWait = (error: unknown) => void reported.push(error)
  const isAway = (error: unknown) => error === away
  return { reported, options: { service: 'Postgres at here:1', isAway, onWait, ...options } }
}

describe('waiting for a service', () => {
  it('reports every failed attempt, and returns the result of the first good one', async () => {
    const { reported, options } = waiting()
    let attempts = 0
    const attempt = async () => {
      attempts += 1
      if (attempts < 3) throw away
      return attempts
    }
    expect(await waitFor(attempt, options)).toBe(3)
    expect(reported).toEqual([away, away])
  })

  it('ends at once with an error that waiting cannot fix', async () => {
    const { reported, options } = waiting()
    const wrong = new Error('no such database')
    await expect(waitFor(() => Promise.reject(wrong), options)).rejects.toBe(wrong)
    expect(reported).toEqual([])
  })

  it.each([
    { what: 'that refuses', attempt: () => Promise.reject(away), why: 'ECONNREFUSED' },
    { what: 'that is silent', attempt: () => new Promise<never>(() => undefined), why: 'no answer' },
  ])('for a service $what ends after its time, and names the service', async ({ attempt, why }) => {
    const over = waitFor(attempt, waiting({ secondsMax: 0.4 }).options)
    await expect(over).rejects.toThrow(ServiceAwayError)
    await expect(over).rejects.toThrow(`Postgres at here:1 was unavailable for 0.4 s (${why})`)
  })
})
