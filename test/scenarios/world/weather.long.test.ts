import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { moments, plantScene, summon } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import weather from '@treeos/weather'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doAs, expectRefused, live, publish, until, wakeUp } from '../../support/life.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

/** Speaks as the forecast service does. */
let service: Server
let asked: URL[] = []
let sky: { status: number; current?: JsonObject } = { status: 200 }
const before = process.env.TREEOS_WEATHER_URL

beforeAll(async () => {
  service = createServer((request, response) => {
    asked.push(new URL(request.url ?? '/', 'http://service'))
    response.writeHead(sky.status, { 'content-type': 'application/json' })
    const current = {
      time: '2026-11-22T10:00',
      temperature_2m: 1.5,
      weather_code: 71,
      wind_speed_10m: 3,
      ...sky.current,
    }
    response.end(JSON.stringify({ current }))
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  process.env.TREEOS_WEATHER_URL = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1/forecast`
})
afterAll(async () => {
  if (before === undefined) delete process.env.TREEOS_WEATHER_URL
  else process.env.TREEOS_WEATHER_URL = before
  service?.closeAllConnections()
  service?.close()
})
const world = useWorld({ extensions: [weather], privateHosts: ['127.0.0.1'] })

const ask = async () =>
  (await summon(world, { target: 'station', content: 'well?', as: 'operator', waitSeconds: 20 })).reply
    ?.content
const BERLIN = { latitude: 52.52, longitude: 13.42 }

describe('the weather', () => {
  it('is planted, asked for outside, and read by everyone', async () => {
    expect(await plantScene(world, weather)).toBe(true)
    expect(asked.map(({ searchParams }) => Object.fromEntries(searchParams))).toEqual([
      { latitude: '52.52', longitude: '13.42', current: 'temperature_2m,weather_code,wind_speed_10m' },
    ])
    expect(await ask()).toBe('snow, 1.5 °C, wind 3 km/h (live)')
    expect(await live(world, 'wanderer', 'where to?')).toMatchObject({ stacked: ['weather:sheltered'] })
  })

  it('is looked at again when its hour comes, and turns', async () => {
    sky = { status: 200, current: { weather_code: 0, temperature_2m: 20 } }
    await wakeUp(world, 'station', [
      { event: 'schedule', actor: '@station', name: 'hourly', content: 'look out' },
    ])
    await until(async () => (await ask()) === 'clear, 20 °C, wind 3 km/h (live)')
    expect(await live(world, 'wanderer', 'and now?')).toMatchObject({ stacked: [] })
  })

  it('is what was recorded where the service is away, and says so', async () => {
    sky = { status: 503 }
    const { result } = await doAs(world, 'weather:observe', '@station', BERLIN)
    expect(result).toMatchObject({ condition: 'rain', source: 'recorded' })
    expect(await ask()).toBe('rain, 6.4 °C, wind 17.3 km/h (recorded)')
  })

  it.each([
    ['a malformed answer', { status: 200, current: { weather_code: 'fine' } }],
    ['a refusal', { status: 400 }],
  ])('is left as it was by %s: asked three times, then a failure', async (_what, now) => {
    sky = now
    asked = []
    await expectRefused(
      world,
      () => doAs(world, 'weather:observe', '@station', BERLIN),
      'INTERNAL',
      /^the effect of weather:observe failed in all of its 3 attempts, and may have happened nevertheless: /,
    )
    expect(asked).toHaveLength(3)
    expect(await ask()).toContain('recorded')
  })

  it.each<[string, string, JsonObject, string, RegExp]>([
    ['missing', '@station', { latitude: 1 }, 'INVALID_INPUT', /longitude/],
    ['of another type', '@station', { ...BERLIN, latitude: 'north' }, 'INVALID_INPUT', /latitude is "north"/],
    ['too large', '@station', { ...BERLIN, latitude: 91 }, 'INVALID_INPUT', /latitude is 91/],
    ['on a space', '/', BERLIN, 'INVALID_TYPE', /takes a being/],
    ['on nobody', '@nobody', BERLIN, 'BEING_NOT_FOUND', /@nobody/],
  ])(
    'bad input, %s: nobody is asked outside, and nothing is written',
    async (_what, target, args, code, says) => {
      asked = []
      await expectRefused(world, () => doAs(world, 'weather:observe', target, args), code, says)
      expect(asked).toEqual([])
    },
  )

  it('replays identically, without a request', async () => {
    await publish(world, 'garden.x', 1)
    expect((await moments(world.db, 'station')).some(({ outcome }) => outcome === 'act')).toBe(true)
    asked = []
    await expectUnbroken(world)
    await expectReplays(world)
    expect(asked).toEqual([])
  })
})
