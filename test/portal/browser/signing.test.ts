import { sql } from 'kysely'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { complaintsOf, enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import { PortalWorld } from '../../support/portal.ts'

describe.runIf(hasChromium)('signing acts, in a browser', () => {
  let at: PortalWorld
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    at = await PortalWorld.start()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
  })
  beforeEach(async () => {
    await at.serveAnew()
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    page = await context.newPage()
    complaints = complaintsOf(page)
  })
  afterEach(() => context.close())

  /** A device with a fingerprint reader. @returns puts a finger on it that it knows, or not */
  async function withFinger(): Promise<(isKnown: boolean) => Promise<unknown>> {
    const cdp = await context.newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
    return (isUserVerified) => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
  }

  /** Whether the acts of a person are signed, oldest first. */
  async function signaturesOf(being: string): Promise<boolean[]> {
    const { rows } = await sql<{ signed: boolean }>`
      select content like '%"signed":%' as signed from treeos.inbox where being = ${being} and kind = 'act'
      order by at`.execute(at.world.db)
    return rows.map(({ signed }) => signed)
  }

  async function invite(name: string): Promise<void> {
    await page.getByRole('link', { name: 'People' }).click()
    await page.getByRole('button', { name: 'Invite somebody' }).click()
    await page.getByLabel('Name').fill(`@${name}`)
    await page.getByLabel('Default role').fill('stage:free')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
  }

  it('a person lets its passkey sign, and the page asks it for each act', async () => {
    await enterBy(page, at, 'ada')
    const finger = await withFinger()
    await invite('gus') // before: nobody is asked for anything
    await page.getByRole('status').filter({ hasText: 'The link of @gus' }).waitFor()
    const before = (await signaturesOf('ada')).length
    const since = async () => (await signaturesOf('ada')).slice(before)
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Settings' }).click()
    await page.getByLabel('Name of a new one').fill('Laptop')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const keys = page.getByRole('region', { name: 'Passkeys' })
    await keys.getByRole('button', { name: 'Sign with it' }).click()
    await keys.getByText(/signs what you do/).waitFor()
    expect(await keys.getByRole('button', { name: 'Remove' }).isDisabled()).toBe(true)

    await invite('hal')
    await page.getByRole('status').filter({ hasText: 'The link of @hal' }).waitFor()
    expect(await since()).toEqual([false, true]) // the first one lets the passkey sign

    // Control: a finger that the device does not know signs nothing, and nothing is done.
    await finger(false)
    await invite('ivy')
    await page
      .getByRole('alert')
      .getByText(/No passkey was used/)
      .waitFor()
    expect(await since()).toHaveLength(2)
    await finger(true)
    await page.goto(`${at.origin}/account`)
    await keys.getByRole('button', { name: 'Stop signing' }).click()
    await keys.getByRole('button', { name: 'Sign with it' }).waitFor()
    expect(await since()).toEqual([false, true, true])
    // the answer that asks for a signature
    expect(complaints.filter((one) => !one.includes('403'))).toEqual([])
  })
})
