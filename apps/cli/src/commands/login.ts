import { randomBytes } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { TreeosError } from '@treeos/core'
import type { Cli, InstanceOptions } from '../cli.ts'
import { withReality } from '../instance/with-instance.ts'
import { callPortal } from '../login/call-portal.ts'
import { type Login, loginFile, readAnyLogin, removeLogin, storeLogin } from '../login/stored-login.ts'
import { answered } from '../served/serve.ts'
import { UsageError } from '../text/failure.ts'
import { readText } from '../text/input.ts'
import { type Output, oneLine } from '../text/output.ts'

/** How often a terminal that waits for its person asks. */
const POLL_MS = 2_000
const NAME_MAX = 80

/** The access token of a login, as the portal tells it. */
interface OwnToken {
  readonly id: string
  readonly being: string
  readonly issuedBy: string
  readonly expiresAt: string
  readonly reality: string
}

/** `treeos login | logout | whoami`: somebody at a terminal without the database of an instance. */
export function addLogin(cli: Cli): void {
  cli
    .command(
      'login <url>',
      'act through a portal, as yourself\nYou type a code into a page of the portal, where you are signed in. From then on, commands of every day go by its API.',
    )
    .option('--token <secret>', 'an access token instead, for scripts; - reads standard input')
    .option('--name <name>', 'what the page calls this terminal (default: user and machine)')
    .action(
      cli.run(async (out, address: string, { token, name }: { token?: string; name?: string }) => {
        const url = originIn(address)
        if (!isPrivate(url)) out.progress(`warning: ${url} is not encrypted, so others may read your token`)
        const secret = token === undefined ? await askPerson(out, url, name) : await givenToken(token)
        const own = await tokenOf({ url, token: secret })
        const { being, reality, issuedBy, expiresAt } = own
        const former = unlessDamaged()
        storeLogin({ url, token: secret, being, reality })
        if (token === undefined && former?.url === url) await endFormer(out, former)
        out.value({ url, reality, being, issuedBy, expiresAt }, () => shownLogin({ url, ...own }))
        if (process.env.TREEOS_DATA)
          out.progress(
            'TREEOS_DATA is set here: while it is, commands go to that instance, and not by the login',
          )
      }),
    )
  cli.command('logout', 'end the login of this terminal, and revoke its access token').action(
    cli.run(async (out) => {
      const login = unlessDamaged()
      const wasThere = removeLogin() // first: whatever comes now, this terminal has no secret any more
      if (login !== null) await revoke(login)
      else if (wasThere)
        out.progress(
          'the file held no login, so an access token was not revoked: the page of your portal does it ' +
            '(Settings, Access tokens)',
        )
      out.value({ loggedOut: wasThere }, () => (wasThere ? 'logged out' : 'you were not logged in'))
    }),
  )
  cli.onInstance('whoami', 'show as whom commands act here, and where').action(
    cli.run(async (out, options: InstanceOptions) => {
      const { login } = options
      if (login !== undefined) {
        const { being, issuedBy, expiresAt, reality } = await tokenOf(login)
        const told = { url: login.url, reality, being, issuedBy, expiresAt }
        return out.value(told, shownLogin)
      }
      const reality = await withReality(options, async (at) => at.reality.name)
      const own = { url: null, reality, being: '@operator', issuedBy: null, expiresAt: null }
      out.value(own, () => `@operator of ${oneLine(reality)}, with the database of the instance`)
    }),
  )
}

const tokenOf = (login: Pick<Login, 'url' | 'token'>): Promise<OwnToken> =>
  callPortal(login, (treeos) => answered<OwnToken>(treeos.api.GET('/token')))

/** A terminal that logs in again leaves no token that nobody uses. */
async function endFormer(out: Output, former: Login): Promise<void> {
  try {
    await revoke(former)
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    out.progress(`your login before: ${error.message}`)
  }
}

/** @throws {TreeosError} for a token that may hold still */
async function revoke({ url, token }: Login): Promise<void> {
  try {
    await callPortal({ url, token }, (treeos) => answered(treeos.api.POST('/token/end')))
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    if (error.code === 'UNAUTHORIZED') return // it has ended before
    const why =
      `the login has ended here, but its access token was not revoked: ${error.message}. ` +
      `The page at ${url} does it (Settings, Access tokens)`
    throw new TreeosError(error.code, why, error.detail)
  }
}

/** The login; null where the file holds none that could be revoked. */
function unlessDamaged(): Login | null {
  try {
    return readAnyLogin()
  } catch (error) {
    if (error instanceof TreeosError) return null
    throw error
  }
}

/** Waits until the person has typed a code into the page. @returns the secret of the access token */
async function askPerson(out: Output, url: string, name = ownName()): Promise<string> {
  // Made here: the portal keeps its hash alone, and no answer holds it.
  const token = `treeos_${randomBytes(32).toString('base64url')}`
  const at = { url, token }
  const body = { name: name.slice(0, NAME_MAX) }
  const asked = await callPortal(at, (treeos) =>
    answered<{ code: string; page: string; seconds: number }>(treeos.api.POST('/terminals', { body })),
  )
  out.progress(`Open ${url}${asked.page}, and type this code there: ${asked.code}`)
  out.progress(`It is good for ${Math.round(asked.seconds / 60)} minutes. Waiting …`)
  for (;;) {
    await sleep(POLL_MS)
    const { allowed } = await callPortal(at, (treeos) =>
      answered<{ allowed: boolean }>(treeos.api.POST('/terminals/wait')),
    )
    if (allowed) return token
  }
}

function ownName(): string {
  const user = process.env.USER || process.env.USERNAME || userInfo().username
  return `${user} at ${hostname()}`
}

async function givenToken(token: string): Promise<string> {
  const secret = (token === '-' ? await readText('-') : token).trim()
  if (/^treeos_[\w-]+$/.test(secret)) return secret
  throw new UsageError('--token takes the secret of an access token, which begins with treeos_')
}

/** @throws {UsageError} for what is not the address of a portal */
function originIn(text: string): string {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '') return url.origin
  throw new UsageError(`${text} is not the address of a portal, as https://portal.example is`)
}

/** Nobody on the way reads it. */
function isPrivate(url: string): boolean {
  const { protocol, hostname: host } = new URL(url)
  return protocol === 'https:' || host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
}

const shownLogin = ({
  url,
  reality,
  being,
  issuedBy,
  expiresAt,
}: Omit<OwnToken, 'id'> & { readonly url: string }): string =>
  `${being} of ${oneLine(reality)} at ${url}${issuedBy === being ? '' : `, driven by ${issuedBy}`}, until ${expiresAt}\n` +
  `its access token is in ${loginFile()}`
