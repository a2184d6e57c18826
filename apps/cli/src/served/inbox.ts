import type { InboxView, ProposedView } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import { withReality } from '../instance/with-instance.ts'
import { answered, listed, type Service } from './serve.ts'

interface InboxRequest {
  readonly as: BeingName
}

export const INBOX: Service<InboxRequest, readonly InboxView[]> = {
  record: (options, { as }) => withReality(options, (at, { inbox }) => inbox(at, as)),
  api: (treeos) => listed((query) => treeos.api.GET('/inbox', { params: { query } })),
}

interface ClosingRequest extends InboxRequest {
  readonly how: 'read' | 'dismissed'
  /** null: all notices */
  readonly entries: readonly string[] | null
}

export const CLOSE_INBOX: Service<ClosingRequest, { readonly closed: number }> = {
  record: (options, request) => withReality(options, (at, { closeInbox }) => closeInbox(at, request)),
  api: (treeos, { how, entries }) =>
    answered(
      treeos.api.POST('/inbox/close', { body: { how, entries: entries === null ? null : [...entries] } }),
    ),
}

export const APPROVALS: Service<InboxRequest, readonly ProposedView[]> = {
  record: (options, { as }) =>
    withReality(options, async (at, { approvals, withProposals }) =>
      withProposals(at, as, await approvals(at, as)),
    ),
  api: (treeos) => listed((query) => treeos.api.GET('/approvals', { params: { query } })),
}
