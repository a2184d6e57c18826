import type { PersonView } from '@treeos/portal'
import type { ActingOptions, Cli } from '../cli.ts'
import { parseNumber, requireStance } from '../text/input.ts'
import { table } from '../text/output.ts'

const HOURS_MAX = 7 * 24

interface InviteOptions extends ActingOptions {
  readonly role?: string
  readonly hours?: number
}

/** `treeos people`: who may sign in to the portal. */
export function addPeople(cli: Cli): void {
  cli.describeGroup('people', 'who may sign in to the portal, each as a being of its own')
  cli
    .asBeing('invite <name>', 'give birth to a person, and make the link by which it signs in', 'people')
    .option('--role <role>', 'its default role')
    .option(
      '--hours <n>',
      `how long the link is good (default: 24, at most ${HOURS_MAX})`,
      parseNumber('--hours', { min: 1, max: HOURS_MAX, whole: true }),
    )
    .action(
      cli.run(async (out, name: string, options: InviteOptions) => {
        const as = requireStance(options.as)
        const being = requireStance(name.startsWith('@') ? name : `@${name}`)
        const { role, hours } = options
        const { linkTo } = await import('../instance/portal-link.ts')
        const { portalUrl } = await import('./shared/portal-url.ts')
        const url = await portalUrl(options) // first: without a portal nobody is born
        const { act } = await import('@treeos/client')
        const { parseCall, stanceOf } = await import('@treeos/core')
        const { asPortal, withServices } = await import('../instance/connection.ts')
        const { makeLink, portalOf } = await import('@treeos/portal')
        const payload = { name: being, cognition: 'human', ...(role === undefined ? {} : { role }) }
        const call = parseCall({ verb: 'be', operation: 'birth', payload })
        await withServices(options, (at) => act(at, as, call))
        const token = await asPortal(options, ({ db }) =>
          makeLink(portalOf(db), being, { madeBy: as, ...(hours === undefined ? {} : { hours }) }),
        )
        out.value(
          { stance: stanceOf(being), link: linkTo(url, token), hours: hours ?? 24 },
          ({ stance, link, hours }) =>
            `${stance} signs in by this link, once and within ${hours} h:\n${link}`,
        )
      }),
    )
  cli
    .asBeing('list', 'list the persons of yours, who of them can sign in and who is invited', 'people')
    .action(
      cli.run(async (out, options: ActingOptions) => {
        const as = requireStance(options.as)
        const { authorizeActingAs, personsUnder } = await import('@treeos/client')
        const { asPortal } = await import('../instance/connection.ts')
        const { describePeople, portalOf } = await import('@treeos/portal')
        const people = await asPortal(options, async (at) => {
          await authorizeActingAs(at, as)
          return describePeople(portalOf(at.db), await personsUnder(at, as))
        })
        out.value(people, (all) => table(all.map((person) => [person.stance, stateOf(person)])))
      }),
    )
  cli.asBeing('revoke <stance>', 'take back a link of a person that was not opened yet', 'people').action(
    cli.run(async (out, stance: string, options: ActingOptions) => {
      const as = requireStance(options.as)
      const being = requireStance(stance, as)
      const { authorizeOverPerson } = await import('./shared/over-person.ts')
      const { asPortal } = await import('../instance/connection.ts')
      const { portalOf, revokeLink } = await import('@treeos/portal')
      await asPortal(options, async (at) => {
        await authorizeOverPerson(at, { being, as })
        await revokeLink(portalOf(at.db), being)
      })
      out.value({ stance: `@${being}`, revoked: true }, (it) => `the link of ${it.stance} opens nothing now`)
    }),
  )
  cli
    .asBeing(
      'remove <stance>',
      'take the account of a person away, and sign it out; the being lives on',
      'people',
    )
    .action(
      cli.run(async (out, stance: string, options: ActingOptions) => {
        const as = requireStance(options.as)
        const being = requireStance(stance, as)
        const { authorizeOverPerson } = await import('./shared/over-person.ts')
        const { asPortal } = await import('../instance/connection.ts')
        const { portalOf, removeAccount } = await import('@treeos/portal')
        const ended = await asPortal(options, async (at) => {
          await authorizeOverPerson(at, { being, as })
          return removeAccount(portalOf(at.db), being)
        })
        out.value(
          { stance: `@${being}`, removed: true, sessionsEnded: ended.length },
          (it) => `${it.stance} cannot sign in any more; ${it.sessionsEnded} sessions ended`,
        )
      }),
    )
}

function stateOf({ hasAccount, seenAt, invitation }: PersonView): string {
  const account = hasAccount ? `has an account${seenAt === null ? '' : `, seen ${seenAt}`}` : 'cannot sign in'
  if (invitation === null) return account
  return `${account}; a link ${invitation.isOver ? 'was over' : 'is good until'} ${invitation.expiresAt}`
}
