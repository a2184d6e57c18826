import { describe, expect, it } from 'vitest'
import { ServiceAwayError, type WaitOptions, waitFor } from './wait-for.ts'

const away = Object.assign(new Error('not here'), { code: 'ECONNREFUSED' })

function waiting(options: Partial<WaitOptions> = {}) {
  const told: unknown[] = []
  const onWait = (error: unknown) => void told.push(error)
  const isAway = (error: unknown) => error === away
  return { told, options: { service: 'Postgres at here:1', isAway, onWait, ...options } }
}

describe('waiting for a service', () => {
  it('tells of every attempt that came to nothing, and returns what the first good one did', async () => {
    const { told, options } = waiting()
    let attempts = 0
    const attempt = async () => {
      attempts += 1
      if (attempts < 3) throw away
      return attempts
    }
    expect(await waitFor(attempt, options)).toBe(3)
    expect(told).toEqual([away, away])
  })

  it('ends at once with an error that waiting cannot mend', async () => {
    const { told, options } = waiting()
    const wrong = new Error('no such database')
    await expect(waitFor(() => Promise.reject(wrong), options)).rejects.toBe(wrong)
    expect(told).toEqual([])
  })

  it.each([
    { what: 'that refuses', attempt: () => Promise.reject(away), why: 'ECONNREFUSED' },
    { what: 'that is silent', attempt: () => new Promise<never>(() => undefined), why: 'no answer' },
  ])(
    'for a service $what is over when its time is, and says for what it waited',
    async ({ attempt, why }) => {
      const over = waitFor(attempt, waiting({ secondsMax: 0.4 }).options)
      await expect(over).rejects.toThrow(ServiceAwayError)
      await expect(over).rejects.toThrow(`Postgres at here:1 was away for 0.4 s (${why})`)
    },
  )
})
