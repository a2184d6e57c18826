import type { Json, JsonObject } from '@treeos/core'
import { expect, it } from 'vitest'
import { readRule, requireRules, ruleJson } from './rules.ts'

it.each<Json>([
  { do: { take: true, 'set-*': false, '*': { requires: ['owner', { role: 'court:judge' }] } } },
  { summon: { '@ann': { requires: ['parent'], forbid: ['home'] }, '@guard-*': false, '*': true } },
  {
    see: { '/': true, '/hall*': false, '@ann': false, 'matter:globe': true, '*': true },
    be: { birth: false },
  },
  { do: { take: { ask: { who: ['@ann', 'owner'], count: 2, within: 60, else: 'refuse' } } } },
  { summon: { '*': { requires: ['anyone'], ask: { who: ['operator'] } } } },
  { do: { take: { outside: 'forbid' }, put: { requires: ['owner'], outside: { ask: { who: ['@ann'] } } } } },
  {},
])('takes %j', (rules) => {
  expect(() => requireRules(undefined, rules)).not.toThrow()
})

it.each<[Json, string]>([
  ['open', 'permissions: "open" is not a set of rules'],
  [{ do: { take: { ask: true } } }, 'permissions.do.take.ask: true asks nobody: an ask is {"who"'],
  [{ do: { take: { ask: { who: [] } } } }, 'permissions.do.take.ask.who: [] is not a list of 1 to 16'],
  [{ do: { take: { ask: { who: ['anyone'] } } } }, 'ask.who[0]: "anyone" is nobody to ask'],
  [{ do: { take: { ask: { who: ['@Ann'] } } } }, 'ask.who[0]: "@Ann" is nobody to ask'],
  [{ do: { take: { ask: { who: ['owner'], count: 6 } } } }, 'ask.count: 6'],
  [{ do: { take: { ask: { who: ['owner'], within: 0 } } } }, 'ask.within: 0'],
  [{ do: { take: { ask: { who: ['owner'], else: 'allow' } } } }, 'ask.else: "allow"'],
  [{ do: { take: { ask: { who: ['owner'], when: {} } } } }, 'ask.when: an ask has no field "when"'],
  [{ see: { '/': { ask: { who: ['owner'] } } } }, 'permissions.see./.ask: nobody is asked before a look'],
  [{ see: { '/': { outside: 'forbid' } } }, 'permissions.see./.outside: whether a moment holds words'],
  [{ do: { take: { outside: true } } }, 'take.outside: true is neither "forbid" nor {"ask": {…}}'],
  [{ do: { take: { outside: { allow: ['anyone'] } } } }, 'take.outside: {"allow":["anyone"]} is neither'],
  [{ do: { take: { outside: { ask: { who: [] } } } } }, 'take.outside.ask.who: [] is not a list of 1 to 16'],
  [{ speak: {} }, 'permissions.speak: "speak" is not a verb: there is see, do, summon and be'],
  [{ do: true }, 'permissions.do: true is not a set of rules'],
  [{ do: { take: null } }, 'permissions.do.take: null is not a rule: a rule is true, false, {"requires"'],
  [{ do: { take: {} } }, 'permissions.do.take: {} is not a rule'],
  [{ do: { take: { require: ['owner'] } } }, 'permissions.do.take.require: a rule has no field "require"'],
  [{ do: { take: { requires: 'owner' } } }, 'permissions.do.take.requires: "owner" is not a list'],
  [
    { do: { take: { requires: [] } } },
    'permissions.do.take.requires: [] is not a list of one property or more',
  ],
  [
    { do: { take: { requires: ['owner', 'ownr'] } } },
    'permissions.do.take.requires[1]: "ownr" is not a property: a rule is true, false',
  ],
  [{ do: { take: { forbid: [{ role: 'A b' }] } } }, 'permissions.do.take.forbid[0]: {"role":"A b"} is no'],
  [{ do: { '@ann': true } }, 'permissions.do.@ann: the key "@ann" fits nothing: it takes an operation'],
  [{ do: { '*-space': true } }, 'permissions.do.*-space: the key "*-space" fits nothing'],
  [{ summon: { ann: true } }, 'permissions.summon.ann: the key "ann" fits nothing: it takes a stance'],
  [{ see: { hall: true } }, 'permissions.see.hall: the key "hall" fits nothing: it takes an address'],
])('refuses %j, and says where and what would be right', (rules, says) => {
  expect(() => requireRules(undefined, rules)).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(says) }),
  )
})

it('checks the form of those rules only that a write changes', () => {
  const old = { do: { take: 'sure' } }
  expect(() => requireRules(old, { do: { take: 'sure', put: true } })).not.toThrow()
  expect(() => requireRules(old, { do: { take: 'sure', put: 'sure' } })).toThrow('permissions.do.put')
  expect(() => requireRules(old, { do: { take: 'yes' } })).toThrow('permissions.do.take')
  expect(() => requireRules(old, undefined)).not.toThrow()
})

it('reads any JSON as a rule', () => {
  for (const value of [
    undefined,
    null,
    0,
    '',
    [],
    ['anyone'],
    { requires: {} },
    { forbid: 'anyone' },
  ] as Json[])
    expect(readRule(value)).toEqual({ requires: [], forbid: [] })
  expect(readRule({ requires: ['anyone'], ask: { who: ['anyone'] } })).toEqual({ requires: [], forbid: [] })
  expect(readRule({ ask: { who: ['owner', 'owner'] } })).toEqual({
    requires: null,
    forbid: [],
    ask: { who: ['owner'], count: 1, withinSeconds: 86_400 },
  })
  expect(readRule({ forbid: ['home'] })).toEqual({ requires: null, forbid: ['home'] })
})

it('reads every rule that it takes, and writes it again as it was', () => {
  const ask = { who: ['@ann'], count: 2, within: 60 }
  const counts: JsonObject[] = [
    { sum: 'euros', most: 9, per: ['being'], within: 60 },
    { after: { do: 'take' } },
    { most: 'many' },
  ]
  const lists = [undefined, ['owner'], ['ownr'], [{ role: 'court:judge' }], []]
  const ofField: Readonly<Record<string, readonly (Json | undefined)[]>> = {
    requires: lists,
    forbid: lists,
    ask: [undefined, ask, { ...ask, beyond: counts.slice(0, 1) }, { who: [] }],
    counts: [undefined, counts.slice(0, 1), counts.slice(1, 2), counts],
    outside: [undefined, 'forbid', { ask }, { ask: true }],
    other: [undefined, 1],
  }
  let rules: JsonObject[] = [{}]
  for (const [field, values] of Object.entries(ofField))
    rules = rules.flatMap((rule) =>
      values.map((value) => (value === undefined ? rule : { ...rule, [field]: value })),
    )
  const isTaken = (rule: Json) => {
    try {
      requireRules(undefined, { do: { take: rule } })
      return true
    } catch {
      return false
    }
  }
  const taken = rules.filter(isTaken)
  expect([rules.length, taken.length]).toEqual([3200, 242])
  for (const rule of taken) expect(ruleJson(readRule(rule))).toEqual(rule)
})
