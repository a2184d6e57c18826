import { reply, summon } from '@treeos/client'
import type { Json } from '@treeos/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import { until, wakesOf } from '../../support/life.ts'
import { PortalWorld } from '../../support/portal.ts'
import relay, { type RelayTask } from '../../support/relay.ts'

describe.runIf(hasChromium)('a thread in which a desk asks for its customer', () => {
  let at: PortalWorld
  let browser: Awaited<ReturnType<typeof openBrowser>>
  beforeAll(async () => {
    at = await PortalWorld.start({ extensions: [relay] })
    const relayed = { cognition: 'scripted', script: 'relay:relayed', role: 'relay:desk' }
    await at.world.birth({ name: 'desk', ...relayed })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
  })

  it('shows for whom each works, and which question an answer answers', async () => {
    const { world } = at
    const content: RelayTask = { plan: [{ ask: '@ada', to: { say: 'by hand' } }, 'answer'] }
    const asked = { target: 'desk', content: content as unknown as Json, as: 'operator', waitSeconds: null }
    const { correlation } = await summon(world, asked)
    const page = await browser.newPage()
    await enterBy(page, at, 'operator')
    await page.goto(`${at.origin}/threads/${correlation}`)
    const owed = page.getByRole('status', { name: 'Who works for whom' })
    await owed.getByText('@ada works for @desk, who works for you.').waitFor()
    const question = await until(async () =>
      (await wakesOf(world, 'ada')).find(({ kind }) => kind === 'summon'),
    )
    const { state = null } = question.content as { state?: Json }
    await reply(
      { ...world, person: 'ada' },
      {
        ...{ as: 'ada', correlation: question.id, waitSeconds: null },
        content: { heard: 'she says so', state },
      },
    )
    await page.getByText('she says so').nth(1).waitFor()
    await until(async () => (await owed.textContent()) === '')
    expect(await page.getByText(/^answers “/).count()).toBe(2)
  })
})
