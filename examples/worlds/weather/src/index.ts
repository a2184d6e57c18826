import {
  answer,
  defineExtension,
  defineOperation,
  defineRole,
  type JsonObject,
  perform,
  publishSignal,
  type RoleFlow,
  recordFact,
  type Script,
  silence,
} from '@treeos/sdk'
import { z } from 'zod'
import { type Observation, observe } from './forecast.ts'

const HOUR_SECONDS = 3600

/**
 * Publishes an observation for all flows. Its effect calls the forecast service, in an activity of its own.
 */
const look = defineOperation({
  name: 'weather:observe',
  description: 'Asks what the weather is at a place on earth, and publishes it.',
  on: 'being',
  allow: ['self', 'ancestor'],
  args: z.object({
    latitude: z.number().min(-90).max(90).describe('degrees north'),
    longitude: z.number().min(-180).max(180).describe('degrees east'),
  }),
  effect: {
    timeoutSeconds: 15,
    attempts: 3,
    perform: async ({ args, fetch }) => ({ ...(await observe(args, fetch)) }),
  },
  decide: ({ target, effect: seen }) => ({
    facts: [
      publishSignal('weather.condition', seen.condition),
      publishSignal('weather.temperature', seen.temperature),
      publishSignal('weather.wind', seen.wind),
      publishSignal('weather.source', seen.source),
      recordFact(target, 'weather:observed', { ...seen }),
    ],
    result: { ...seen },
  }),
})

const observer = defineRole({
  name: 'weather:observer',
  canSee: ['~'],
  canDo: ['weather:observe'],
  canSummon: [{ rel: 'asker' }],
  see: ['weather:now'],
  prose: 'answers',
  selfContinue: 'until-answered',
  prompt:
    'You keep a weather station. Observe when your hour comes, and tell whoever asks what you last saw.',
})
const sheltered = defineRole({
  name: 'weather:sheltered',
  prompt: 'The weather is bad. You stay under a roof, and whatever you do, you do there.',
})

/** Clause for a being that avoids rain. It is stacked, so it replaces no primary role. */
export const drenched: RoleFlow = [
  {
    stack: true,
    when: { 'world.weather.condition': ['rain', 'drizzle', 'snow', 'thunderstorm'] },
    role: 'weather:sheltered',
  },
]

/** Default place of a station; its quality `weather.place` overrides it. */
const BERLIN = { latitude: 52.52, longitude: 13.42 }

/** Observes at each scheduled wake, and answers with the last observation. */
const lookOut: Script = ({ wake, face }) => {
  if (wake.inReplyTo !== null) return { kind: 'see', content: null }
  const { place } = (face.me.qualities.weather ?? {}) as { place?: JsonObject }
  if (wake.from === null) return perform('weather:observe', `@${face.me.name}`, { ...BERLIN, ...place })
  const now = face.views.find(({ name }) => name === 'now')?.view as Partial<Observation> | undefined
  return answer(
    now?.condition === undefined
      ? 'nothing was observed yet'
      : `${now.condition}, ${now.temperature} °C, wind ${now.wind} km/h (${now.source})`,
  )
}

/** Says where it is, for whoever asks. */
const wander: Script = ({ wake, stacked }) => {
  if (wake.kind !== 'message') return silence
  return answer(
    stacked.includes('weather:sheltered') ? 'It is bad out there: I stay under a roof.' : 'I wander.',
  )
}

export default defineExtension({
  name: 'weather',
  version: '0.0.0',
  roles: [observer, sheltered],
  clauses: drenched,
  operations: [look],
  scripts: { 'weather:look-out': lookOut, 'weather:wander': wander },
  see: { 'weather:now': async ({ world }) => (await world.world('weather'))?.values ?? null },
  signals: {
    condition: 'clear, cloudy, fog, drizzle, rain, snow, thunderstorm or unknown',
    temperature: '°C',
    wind: 'km/h',
    source: 'live, or recorded where no service was reached',
  },
  schedules: { 'weather:hourly': { everySeconds: HOUR_SECONDS, content: 'look out' } },
  minds: ['wanderer'],
  scene: [
    {
      verb: 'be',
      operation: 'birth',
      args: {
        name: 'station',
        cognition: 'scripted',
        script: 'weather:look-out',
        role: 'weather:observer',
      },
    },
    {
      verb: 'be',
      operation: 'birth',
      args: {
        name: 'wanderer',
        cognition: 'scripted',
        script: 'weather:wander',
        role: 'resident',
        roleFlow: drenched,
      },
    },
    {
      verb: 'do',
      operation: 'set-schedule',
      target: '@station',
      args: { name: 'hourly', preset: 'weather:hourly' },
    },
    { verb: 'do', operation: 'weather:observe', target: '@station', args: BERLIN },
  ],
})
