import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isZoneName } from './schedules.ts'
import { ZONE_NAMES } from './zone-names.ts'

const PYTHON = join(import.meta.dirname, '../../../../clients/python-verify/treeos_verify/law/zones.py')

it('the verifier in Python knows the same time zones', () => {
  const [, names = ''] = /"""\n((?:[A-Z][\w+/ -]*\n)+)"""/.exec(readFileSync(PYTHON, 'utf8')) ?? []
  expect(names.trim().split(/\s+/)).toEqual([...ZONE_NAMES])
})

it('every zone is one by which this machine tells the time', () => {
  const now = new Date()
  for (const timeZone of ZONE_NAMES)
    expect(now.toLocaleString('en', { timeZone }), timeZone).toEqual(expect.any(String))
  expect(Intl.supportedValuesOf('timeZone').filter((name) => !ZONE_NAMES.has(name))).toEqual([])
})

it.each([
  { name: 'Europe/Berlin', isOne: true },
  { name: 'Asia/Calcutta', isOne: true },
  { name: 'UTC', isOne: true },
  { name: 'Mars/Olympus', isOne: false },
  { name: 'europe/berlin', isOne: false },
  { name: '+09:00', isOne: false },
  { name: 3, isOne: false },
])('$name is a time zone: $isOne', ({ name, isOne }) => {
  expect(isZoneName(name)).toBe(isOne)
})
