import { parseCall, stanceOf } from '@treeos/core'
import type { PersonView } from '@treeos/portal'
import type { ActingOptions, Cli } from '../cli.ts'
import { withServices } from '../instance/with-instance.ts'
import { requireStance, wholeNumber } from '../text/input.ts'
import { table } from '../text/output.ts'

const HOURS = 24
const HOURS_MAX = 7 * 24

interface InviteOptions extends ActingOptions {
  readonly role?: string
  readonly hours?: number
}

/** `treeos people`: who may sign in to the portal. */
export function addPeople(cli: Cli): void {
  cli.describeGroup('people', 'who may sign in to the portal, each as a being of its own')
  addInvite(cli)
  cli
    .asBeing('list', 'list the persons of yours, who of them can sign in and who is invited', 'people')
    .action(
      cli.run(async (out, options: ActingOptions) => {
        const as = requireStance(options.as)
        const { authorizeActingAs, personsUnder } = await import('@treeos/client/records')
        const { asPortal } = await import('../instance/connection.ts')
        const { describePeople, portalOf } = await import('@treeos/portal')
        const people = await asPortal(options, async (at) => {
          await authorizeActingAs(at, as)
          return describePeople(portalOf(at.db), await personsUnder(at, as))
        })
        out.value(people, (all) => table(all.map((person) => [person.stance, personState(person)])))
      }),
    )
  cli.asBeing('revoke <stance>', 'take back a link of a person that was not opened yet', 'people').action(
    cli.run(async (out, named: string, options: ActingOptions) => {
      const as = requireStance(options.as)
      const being = requireStance(named, as)
      const { overPerson } = await import('../instance/over-person.ts')
      const { revokeLink } = await import('@treeos/portal')
      await overPerson(options, { being, as }, (store) => revokeLink(store, being))
      out.value(
        { stance: stanceOf(being), revoked: true },
        (it) => `the link of ${it.stance} opens nothing now`,
      )
    }),
  )
  cli.asBeing('remove <stance>', 'take the account of a person away; the being lives on', 'people').action(
    cli.run(async (out, named: string, options: ActingOptions) => {
      const as = requireStance(options.as)
      const being = requireStance(named, as)
      const { overPerson } = await import('../instance/over-person.ts')
      const { removeAccount } = await import('@treeos/portal')
      const ended = await overPerson(options, { being, as }, (store) => removeAccount(store, being))
      out.value(
        { stance: stanceOf(being), removed: true, sessionsEnded: ended.length },
        (it) => `${it.stance} cannot sign in any more; ${it.sessionsEnded} sessions ended`,
      )
    }),
  )
}

function addInvite(cli: Cli): void {
  cli
    .asBeing('invite <name>', 'give birth to a person, and make the link by which it signs in', 'people')
    .option('--role <role>', 'its default role')
    .option(
      '--hours <n>',
      `how long the link is good (default: ${HOURS}, at most ${HOURS_MAX})`,
      wholeNumber('--hours', 1, HOURS_MAX),
    )
    .action(
      cli.run(async (out, name: string, { role, hours = HOURS, ...options }: InviteOptions) => {
        const as = requireStance(options.as)
        const being = requireStance(name.startsWith('@') ? name : `@${name}`)
        const { linkTo, requirePortalUrl } = await import('../instance/portal-link.ts')
        const { instanceDir } = await import('@treeos/local')
        const url = requirePortalUrl(instanceDir(options)) // first: without a portal nobody is born
        const { asPortal } = await import('../instance/connection.ts')
        const { makeLink, portalOf } = await import('@treeos/portal')
        const args = { name: being, cognition: 'human', ...(role === undefined ? {} : { role }) }
        const call = parseCall({ verb: 'be', operation: 'birth', args })
        await withServices(options, (at, { act }) => act(at, as, call))
        const token = await asPortal(options, ({ db }) =>
          makeLink(portalOf(db), being, { madeBy: as, minutes: hours * 60 }),
        )
        out.value(
          { stance: stanceOf(being), link: linkTo(url, token), hours },
          ({ stance, link }) => `${stance} signs in by this link, once and within ${hours} h:\n${link}`,
        )
      }),
    )
}

function personState({ hasAccount, seenAt, invitation }: PersonView): string {
  const account = hasAccount ? `has an account${seenAt === null ? '' : `, seen ${seenAt}`}` : 'cannot sign in'
  if (invitation === null) return account
  return `${account}; a link ${invitation.isOver ? 'was over' : 'is good until'} ${invitation.expiresAt}`
}
