import { describe, expect, it } from 'vitest'
import { TreeosError } from './error.ts'
import {
  type RefusalFields,
  refusalIn,
  refusalSentence,
  unknownBeing,
  unknownNameIn,
  unknownRole,
  unlisted,
} from './refusal.ts'

describe('the sentence of a refusal', () => {
  const long = 'x'.repeat(100)
  const by = '/shop permissions.do.buy'
  it.each<[RefusalFields, string]>([
    [unlisted('canDo', 'fly', []), 'fly is not in canDo (which is empty)'],
    [unlisted('canSee', '/den', ['/', { pattern: '@*' }]), '/den is not in canSee (/, {"pattern":"@*"})'],
    [
      unlisted(
        'canDo',
        'fly',
        Array.from({ length: 13 }, (_, i) => `a${i}`),
      ),
      'fly is not in canDo (a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, … 13 in all)',
    ],
    [
      { of: 'ceiling', being: 'ann', list: 'canDo', target: long },
      expect.stringMatching(/^"x+.* is above the ceiling of @ann in canDo$/),
    ],
    [
      { of: 'standing', verb: 'do', key: 'take', standings: ['owner', 'operator'] },
      'not granted: do take needs owner or operator of the target',
    ],
    [{ of: 'rule', by, says: 'outside' }, `forbidden by ${by}: this moment holds words from outside`],
    [
      { of: 'rule', by, says: 'forbids', standing: 'role clerk', actor: 'dot' },
      `forbidden by ${by}: it forbids role clerk, as @dot is`,
    ],
    [
      { of: 'rule', by, says: 'takes', standings: ['owner', 'role judge'], actor: 'dot' },
      `not granted by ${by}: it takes owner or role judge, not @dot`,
    ],
    [
      { of: 'rule', by, says: 'takes', standings: [], actor: 'dot' },
      `not granted by ${by}: it permits nobody, not @dot`,
    ],
    [{ of: 'rule', by, says: 'count', why: '3 are allowed' }, `not granted by ${by}: 3 are allowed`],
    [{ of: 'rule', by, says: 'look' }, `not granted by ${by}: nobody is asked before a look`],
    [
      { of: 'rule', by, says: 'asks', who: ['owner', '@ann'], actor: 'dot' },
      `not granted yet: ${by} asks owner or @ann about it, and @dot cannot ask in this way`,
    ],
    [{ of: 'being', name: 'ann' }, 'no being @ann lives in this reality'],
    [
      { of: 'being', name: 'ann', namedBy: 'rule' },
      'a rule asks @ann, and no such being lives in this reality',
    ],
    [{ of: 'role', name: 'court:x' }, 'role "court:x" is not registered'],
  ])('%j', (refusal, sentence) => {
    expect(refusalSentence(refusal)).toEqual(sentence)
  })
})

describe('an error', () => {
  it('says which name nothing has', () => {
    expect(unknownNameIn(unknownBeing('ann'))).toEqual({ of: 'being', name: 'ann' })
    expect(unknownNameIn(unknownBeing('ann', 'rule'))).toMatchObject({ of: 'being', name: 'ann' })
    expect(unknownNameIn(unknownRole('court:judge'))).toEqual({ of: 'role', name: 'court:judge' })
    expect(unknownRole('court:judge').code).toBe('ROLE_UNAVAILABLE')
  })

  it.each([
    new TreeosError('BEING_NOT_FOUND', unknownBeing('ann').message), // words are not read
    new TreeosError('FORBIDDEN', '', { refusal: 'none' }),
    new TreeosError('FORBIDDEN', '', 'none'),
  ])('without fields has none: %j', (error) => {
    expect(refusalIn(error)).toBeNull()
    expect(unknownNameIn(error)).toBeNull()
  })
})
