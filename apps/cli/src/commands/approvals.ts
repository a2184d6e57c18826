import type { ProposedView } from '@treeos/client'
import { stanceOf } from '@treeos/core'
import type { ActingOptions, Cli } from '../cli.ts'
import { requireDatabase } from '../served/acts.ts'
import { APPROVALS } from '../served/inbox.ts'
import { serve } from '../served/serve.ts'
import { shownApprovals } from '../show/acts.ts'
import { nameCell } from '../text/csv.ts'
import { requireObject, requireStance } from '../text/input.ts'
import { acts, doing } from './shared/act.ts'
import { boundsOf, type Columns, type ListingOptions, listsActs, tellListed } from './shared/list-options.ts'

const COLUMNS: Columns<ProposedView> = {
  id: ({ id }) => id,
  from: ({ from }) => nameCell(from),
  driver: ({ driver }) => nameCell(driver),
  roles: ({ roles }) => roles.join(' '),
  call: ({ call }) => JSON.stringify(call),
  rule: ({ rule }) => rule,
  outside: ({ outside = false }) => outside,
  until: ({ expiresAt }) => expiresAt,
}

/** `treeos approvals | approve | deny`: calls that rules ask a person about. */
export function addApprovals(cli: Cli): void {
  listsActs(
    cli
      .asBeing('approvals', 'list the calls that wait for your yes, oldest first')
      .option('--links', 'with a link for each, by which whoever has it answers once, without signing in'),
    'approvals',
  ).action(
    cli.run(async (out, { links, ...options }: ActingOptions & ListingOptions & { links?: boolean }) => {
      const as = requireStance(options.as)
      const { being, person } = boundsOf(options, as)
      if (links === true) requireDatabase(options, '--links')
      const waiting = (await serve(options, APPROVALS, { as })).filter(
        ({ from, driver }) =>
          (being === undefined || from === stanceOf(being)) &&
          (person === undefined || [from, driver].includes(stanceOf(person))),
      )
      const shown = links === true ? await withLinks(options, as, waiting) : waiting
      tellListed(out, options, waiting, COLUMNS, () => out.value(shown, shownApprovals))
    }),
  )
  acts(
    cli,
    cli
      .asBeing('approve <id>', 'say yes to a call that waits')
      .option('--args <json>', 'arguments in place of those that were asked about, as a JSON object'),
    (id: string, { args, as }: ActingOptions & { args?: string }) =>
      answering(as, 'approve', {
        id,
        ...(args === undefined ? {} : { args: requireObject(args, '--args') }),
      }),
  )
  acts(
    cli,
    cli.asBeing('deny <id>', 'say no to a call that waits').option('--why <text>', 'for whoever asked'),
    (id: string, { why, as }: ActingOptions & { why?: string }) =>
      answering(as, 'deny', { id, ...(why === undefined ? {} : { why }) }),
  )
}

async function withLinks(options: ActingOptions, as: string, waiting: readonly ProposedView[]) {
  const { answerLinkTo, requirePortalUrl } = await import('../instance/portal-link.ts')
  const { instanceDir } = await import('@treeos/local')
  const { overPerson } = await import('../instance/over-person.ts')
  const { makeAnswerLink } = await import('@treeos/portal')
  const url = requirePortalUrl(instanceDir(options))
  return overPerson(options, { being: as, as }, async (store) => {
    const linked: (ProposedView & { readonly link: string })[] = []
    for (const one of waiting)
      linked.push({ ...one, link: answerLinkTo(url, await makeAnswerLink(store, as, one)) })
    return linked
  })
}

const answering = (as: string, action: string, args: object) =>
  doing(stanceOf(requireStance(as)), action, args)
