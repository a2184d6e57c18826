import { type OutsideFetch, TreeosError } from '@treeos/sdk'
import { z } from 'zod'
import recorded from './recorded.json' with { type: 'json' }

/**
 * Default of TREEOS_WEATHER_URL: a forecast service that needs no key. An empty variable turns requests off.
 */
const SERVICE = 'https://api.open-meteo.com/v1/forecast'
const ASK_SECONDS_MAX = 5

/** The part of the service's answer that is used. Weather codes are those of WMO table 4677. */
const forecast = z.object({
  current: z.object({
    time: z.string().max(40),
    temperature_2m: z.number(),
    weather_code: z.number().int(),
    wind_speed_10m: z.number(),
  }),
})

export interface Observation {
  readonly condition: string
  /** °C */
  readonly temperature: number
  /** km/h */
  readonly wind: number
  /** of the observation, ISO 8601 */
  readonly at: string
  /** `recorded` when the service could not be reached */
  readonly source: 'live' | 'recorded'
}

/** Worst first. The first entry that matches a code names it. */
const CONDITIONS: readonly (readonly [string, (code: number) => boolean])[] = [
  ['thunderstorm', (code) => code >= 95],
  ['snow', (code) => (code >= 71 && code <= 77) || code === 85 || code === 86],
  ['rain', (code) => (code >= 61 && code <= 67) || (code >= 80 && code <= 82)],
  ['drizzle', (code) => code >= 51 && code <= 57],
  ['fog', (code) => code === 45 || code === 48],
  ['cloudy', (code) => code === 2 || code === 3],
  ['clear', (code) => code === 0 || code === 1],
]

/** One word for a WMO code; `unknown` for a code that is not in the table. */
export const conditionOf = (code: number): string =>
  CONDITIONS.find(([, holds]) => holds(code))?.[0] ?? 'unknown'

/** @throws {z.ZodError} for an answer of another form */
export function observationOf(answer: unknown, source: Observation['source']): Observation {
  const { current } = forecast.parse(answer)
  return {
    condition: conditionOf(current.weather_code),
    temperature: current.temperature_2m,
    wind: current.wind_speed_10m,
    at: current.time,
    source,
  }
}

/**
 * Asks the service. If it cannot be reached, returns the recorded observation, so that a world works without
 * a network.
 * @throws {Error} for an answer that cannot be read; another attempt may succeed
 */
export async function observe(
  { latitude, longitude }: { readonly latitude: number; readonly longitude: number },
  fetch: OutsideFetch,
): Promise<Observation> {
  const service = process.env.TREEOS_WEATHER_URL ?? SERVICE
  if (service === '') return observationOf(recorded, 'recorded')
  const url = new URL(service)
  url.searchParams.set('latitude', String(latitude))
  url.searchParams.set('longitude', String(longitude))
  url.searchParams.set('current', 'temperature_2m,weather_code,wind_speed_10m')
  const answer = await fetch(url, { timeoutSeconds: ASK_SECONDS_MAX }).catch((error: unknown) => {
    if (error instanceof TreeosError) throw error // no attempt would change it
    return null
  })
  if (answer === null || answer.status >= 500) return observationOf(recorded, 'recorded')
  if (!answer.ok) throw new Error(`the forecast service says ${answer.status}`)
  return observationOf(answer.json(), 'live')
}
