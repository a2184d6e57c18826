import { expect, it } from 'vitest'
import { judgeObservers } from './observers.ts'

it('a publication is a warning that says what it does and how to accept it', () => {
  expect(judgeObservers([])).toMatchObject([{ ok: true }])
  const does = 'sends to other servers what is written to fact, inbox'
  expect(judgeObservers([{ kind: 'publication', name: 'my"copy', does }])).toEqual([
    {
      name: 'observers',
      ok: false,
      optional: true,
      found: `the publication my"copy of Postgres ${does}, and TreeOS did not make it`,
      mend: `if it is yours: comment on publication "my""copy" is 'accepted: why'; else: drop publication "my""copy"`,
    },
  ])
})
