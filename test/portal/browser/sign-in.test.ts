import { Provider } from '@treeos/portal'
import { sql } from 'kysely'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { complaintsOf, enterBy, hasChromium, openBrowser } from '../../support/browser.ts'
import { IdentityProvider } from '../../support/identity-provider.ts'
import { PASSWORD, PortalWorld } from '../../support/portal.ts'

describe.runIf(hasChromium)('signing in, in a browser', () => {
  let at: PortalWorld
  let id: IdentityProvider
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    id = await IdentityProvider.listen()
    at = await PortalWorld.start({ provider: new Provider(id.settings) })
    id.open(`${at.origin}/provider`)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await at?.close()
    await id?.close()
  })
  beforeEach(async () => {
    await at.serveAnew()
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    page = await context.newPage()
    complaints = complaintsOf(page)
  })
  afterEach(() => context.close())

  /** A device with a fingerprint reader, which says yes. @returns takes a finger that it does not know */
  async function withFinger(of: Page): Promise<(isKnown: boolean) => Promise<unknown>> {
    const cdp = await of.context().newCDPSession(of)
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
  const accountMenu = (of: Page) => of.getByRole('button', { name: 'Account' })
  const signOut = async () => {
    await accountMenu(page).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  }
  const isIn = (stance: string) => accountMenu(page).getByText(stance).waitFor()

  it('a person is invited on the page, opens the link with a passkey, and comes back with it', async () => {
    await enterBy(page, at, 'ada')
    await page.getByRole('link', { name: 'People' }).click()
    await page.getByRole('button', { name: 'Invite somebody' }).click()
    await page.getByLabel('Name').fill('@fay')
    await page.getByLabel('Default role').fill('stage:free')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const shown = page.getByRole('status').filter({ hasText: 'The link of @fay' })
    const link = (await shown.locator('.code').textContent()) ?? ''
    expect(link).toMatch(/^http:\/\/localhost:\d+\/welcome#[\w-]{43}$/)
    await page
      .getByRole('region', { name: '@fay' })
      .getByText(/Cannot sign in yet/)
      .waitFor()

    const other = await browser.newContext()
    const theirs = await other.newPage()
    const their = complaintsOf(theirs)
    const finger = await withFinger(theirs)
    await theirs.goto(link)
    await theirs.getByText('Choose how @fay signs in').waitFor()
    await theirs.getByRole('button', { name: 'Make a passkey' }).click()
    await theirs.getByRole('heading', { name: 'What this is' }).waitFor()
    await accountMenu(theirs).getByText('@fay').waitFor()
    await accountMenu(theirs).click()
    await theirs.getByRole('menuitem', { name: 'Sign out' }).click()
    await theirs.getByRole('button', { name: 'Use a passkey' }).click()
    await accountMenu(theirs).getByText('@fay').waitFor()
    expect(their).toEqual([])
    // Control: a finger that the device does not know opens nothing.
    await accountMenu(theirs).click()
    await theirs.getByRole('menuitem', { name: 'Sign out' }).click()
    await finger(false)
    await theirs.getByRole('button', { name: 'Use a passkey' }).click()
    await theirs
      .getByRole('alert')
      .getByText(/No passkey was used/)
      .waitFor()
    await other.close()

    await page.reload()
    await page
      .getByRole('region', { name: '@fay' })
      .getByText(/Can sign in/)
      .waitFor()
    expect(complaints).toEqual([])
  })

  it('a link is revoked, and an account taken away, on the page', async () => {
    await enterBy(page, at, 'operator')
    const token = await at.linkFor('bob')
    await page.getByRole('link', { name: 'People' }).click()
    const bob = page.getByRole('region', { name: '@bob' })
    await bob.getByRole('button', { name: 'Revoke its link' }).click()
    await bob.getByRole('button', { name: 'Revoke its link' }).waitFor({ state: 'detached' })
    expect((await at.post(null, '/api/open/link/look', { token })).status).toBe(401)
    await at.enter('bob')
    await page.reload()
    await bob.getByRole('button', { name: 'Take its account away' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Take it away' }).click()
    await bob.getByText('Cannot sign in yet').waitFor()
    expect(complaints).toEqual([])
  })

  it('passkeys are added, named and removed; the last way in stays', async () => {
    await enterBy(page, at, 'cleo')
    await withFinger(page)
    await accountMenu(page).click()
    await page.getByRole('menuitem', { name: 'Settings' }).click()
    await page.getByLabel('Name of a new one').fill('Laptop <b>')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const keys = page.getByRole('region', { name: 'Passkeys' })
    await keys.getByText('Laptop <b>').waitFor()
    await keys.getByRole('button', { name: 'Rename' }).click()
    await keys.getByLabel('New name').fill('Desk')
    await keys.getByRole('button', { name: 'Rename it' }).click()
    await keys.getByText('Desk').waitFor()
    await page.getByRole('button', { name: 'Remove it' }).click() // the password
    await page.getByText('You have none, and need none beside a passkey.').waitFor()
    expect(complaints).toEqual([])
    await keys.getByRole('button', { name: 'Remove' }).click()
    await keys
      .getByRole('alert')
      .getByText(/your last way to sign in/)
      .waitFor()
    await signOut()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await isIn('@cleo')
  })

  it('sessions are listed and ended, and a late change asks to sign in again', async () => {
    await enterBy(page, at, 'ada')
    const other = await at.sit('ada')
    await page.goto(`${at.origin}/account`)
    const sessions = page.getByRole('region', { name: 'Signed in' })
    await sessions.getByText('this browser').waitFor()
    await sessions.getByText('Chrome on Linux').waitFor()
    await sessions.getByRole('button', { name: 'Sign out elsewhere' }).click()
    await sessions.getByText('Another program').waitFor({ state: 'detached' })
    expect((await at.ask(other, '/api/session')).status).toBe(401)
    await sql`update portal.session set created_at = created_at - interval '20 minutes'`.execute(
      at.world.owner,
    )
    await page.reload()
    await page.getByText('To change this, sign in again').waitFor()
    expect(await page.getByRole('button', { name: 'Change it' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Sign in again' }).click()
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    await page.getByLabel('Name').fill('ada')
    await page.locator('input[type=password]').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    expect(await page.getByText('To change this, sign in again').count()).toBe(0)
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('by a provider: connected to an account, and then back in by it', async () => {
    id.who = 'ada@id.example'
    await enterBy(page, at, 'ada')
    await page.goto(`${at.origin}/account`)
    await page.getByRole('button', { name: /Connect.*Example Login/ }).click()
    await page.getByText('ada@id.example').waitFor()
    expect(page.url()).toBe(`${at.origin}/account`)
    await signOut()
    await page.getByRole('button', { name: /Go on with.*Example Login/ }).click()
    await isIn('@ada')
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    expect(complaints).toEqual([])
    await signOut()
    await context.clearCookies() // the provider would know the browser
    id.who = 'a stranger'
    await page.getByRole('button', { name: /Go on with.*Example Login/ }).click()
    await page
      .getByRole('alert')
      .getByText(/nobody here signs in as a stranger/)
      .waitFor()
    // A link from elsewhere with a code of an attacker does nothing: this tab asked nobody.
    await page.goto(`${at.origin}/provider?code=x&state=y`)
    await page
      .getByRole('alert')
      .getByText(/asked nobody/)
      .waitFor()
    expect(page.url()).toBe(`${at.origin}/provider`)
  })

  it('a newer link that is opened in the same tab is the one that counts', async () => {
    const older = await at.linkFor('cleo')
    await page.goto(`${at.origin}/welcome#${older}`)
    await page.getByText('Choose how @cleo signs in').waitFor()
    await page.locator('input[type=password]').fill('typed for the older')
    const newer = await at.linkFor('ada')
    await page.goto(`${at.origin}/welcome#${newer}`) // only the part behind the # changes: nothing is loaded
    await page.getByText('Choose how @ada signs in').waitFor()
    expect(await page.locator('input[type=password]').inputValue()).toBe('')
    await page.locator('input[type=password]').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in as @ada' }).click()
    await isIn('@ada')
  })

  it('a person lets a terminal act as itself by its code', async () => {
    const headers = { authorization: `Bearer treeos_${'t'.repeat(43)}`, 'content-type': 'application/json' }
    const sent = { method: 'POST', headers, body: JSON.stringify({ name: 'ada at desk' }) }
    const { code, page: path } = (await (await fetch(`${at.origin}/api/v1/terminals`, sent)).json()) as {
      readonly code: string
      readonly page: string
    }
    await enterBy(page, at, 'ada')
    await page.goto(at.origin + path)
    const typed = page.getByRole('textbox', { name: 'Code' })
    await typed.fill('BCDF-BCDF')
    await page.getByRole('button', { name: 'Look' }).click()
    await page.getByText(/no terminal shows this code now/).waitFor()
    await typed.fill(code.toLowerCase())
    await page.getByRole('button', { name: 'Look' }).click()
    await page.getByText('ada at desk').waitFor()
    await page.getByRole('button', { name: 'Allow this terminal' }).click()
    await page.getByText(/acts as you until/).waitFor()
    const own = await fetch(`${at.origin}/api/v1/token`, { headers })
    expect(await own.json()).toMatchObject({ being: '@ada' })
    await page.goto(`${at.origin}/account`)
    await page.getByText('acts as @ada').waitFor()
  })

  it('the tab of a child shows neither account nor people', async () => {
    await enterBy(page, at, 'ada')
    await page.goto(`${at.origin}/inhabit/kid`)
    await page.getByRole('button', { name: 'Drive @kid from this tab' }).click()
    await page.getByRole('region', { name: 'Inhabiting' }).getByText('@kid').waitFor()
    for (const path of ['/account', '/terminal', '/people']) {
      await page.goto(`${at.origin}${path}`)
      await page
        .getByRole('alert')
        .getByText(/in which you act as yourself, @ada/)
        .waitFor()
    }
    await page.getByRole('button', { name: 'Give back' }).click()
  })

  it.each([
    [1440, 900],
    [390, 844],
  ])('at %i × %i no new page is wider than the window', async (width, height) => {
    await page.setViewportSize({ width, height })
    await withFinger(page)
    const shot = async (name: string) => {
      await page.waitForTimeout(300)
      expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(width)
      const shots = process.env.TREEOS_SHOTS
      if (shots === undefined) return
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme })
        await page.waitForTimeout(300)
        await page.screenshot({ path: `${shots}/${name}-${width}-${scheme}.png`, fullPage: true })
      }
    }
    await page.goto(at.origin)
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    await shot('sign-in')
    await page.goto(`${at.origin}/welcome#${await at.linkFor('operator')}`)
    await page.getByRole('button', { name: 'Make a passkey' }).waitFor()
    await shot('welcome')
    await enterBy(page, at, 'operator')
    await at.sit('operator')
    await page.goto(`${at.origin}/account`)
    await page.getByLabel('Name of a new one').fill(`A key of ${width}`)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText(`A key of ${width}`).waitFor()
    await shot('account')
    await sql`update portal.session set created_at = created_at - interval '20 minutes'`.execute(
      at.world.owner,
    )
    await page.reload()
    await page.getByText('To change this, sign in again').waitFor()
    await shot('account-late')
    await sql`update portal.session set created_at = created_at + interval '20 minutes'`.execute(
      at.world.owner,
    )
    await at.linkFor('cleo')
    await page.goto(`${at.origin}/people`)
    await page.getByRole('region', { name: '@cleo' }).waitFor()
    await page.getByRole('region', { name: '@bob' }).getByRole('button', { name: 'New link' }).click()
    await page.getByText('The link of @bob').waitFor()
    await shot('people')
    await page.getByRole('button', { name: 'Invite somebody' }).click()
    await page.getByLabel('Name').waitFor()
    await shot('invite')
  })
})
