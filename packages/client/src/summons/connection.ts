import type { Client } from '@temporalio/client'
import type { FileBounds } from '@treeos/core'
import type { Registry } from '@treeos/world'
import type { OverlayConnection } from '../overlays/thread-overlays.ts'
import type { SignAct } from './act-challenge.ts'

/** Handles of a client. A client writes inbox rows only; the beings that it wakes do everything else. */
export interface Connection extends OverlayConnection {
  readonly temporal: Client
  readonly registry: Registry
  /**
   * asks for the signature of a person that has a passkey for what it does; left out where acts are not
   * signed
   */
  readonly sign?: SignAct
  /**
   * a program outside acts here, by an access token or over MCP: what it says, and what it writes to strangers,
   * is from outside, whether it says so or not
   */
  readonly isProgram?: true
  /**
   * a person types here, by an access token that it gave to its terminal: its words are its own, but it
   * vouches for those of others on the page alone, since a program may type, too
   */
  readonly isTerminal?: true
  /**
   * a workflow of a host acts here, by the login of a worker, as a person who lets workflows act as it; its
   * acts say that their words are from outside
   */
  readonly isHosted?: true
  /** what is kept of files; what is left out is as when nothing is set */
  readonly fileBounds?: Partial<FileBounds>
}
