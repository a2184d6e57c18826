/** The signals of a being. Their handlers only take note: one loop acts. */
import { defineSignal, log, setDefaultSignalHandler, setHandler, uuid4 } from '@temporalio/workflow'
import { CONTENT_BOUNDS, guardJson, type JsonObject } from '@treeos/core/workflow'
import { ACT_SIGNAL, WAKE_SIGNAL } from '@treeos/protocol/workflow'
import type { Signals } from './signals.ts'

/** A doorbell without content: the inbox is in Postgres. A lost or duplicated signal costs latency only. */
export const wakeSignal = defineSignal(WAKE_SIGNAL)
/** A small act that a person sends from the Temporal UI. It is the only content that history holds. */
export const actSignal = defineSignal<[JsonObject]>(ACT_SIGNAL)

/**
 * Hears signals in their order. The default handler takes those that came before the first task, whatever their names: a handler of one
 * name would take all of this name first. A signal of another name is in history, so it counts.
 */
export function hearInOrder(signals: Signals): void {
  setDefaultSignalHandler((name, ...args) => {
    if (name === WAKE_SIGNAL) signals.ring()
    else if (name === ACT_SIGNAL) receiveAct(signals, args[0])
    else signals.refused()
  })
  setHandler(wakeSignal, () => signals.ring(), { description: 'Check the inbox.' })
  setHandler(actSignal, (act) => receiveAct(signals, act), {
    description:
      'Act as this being: {"verb":"summon","target":"@name","content":"…"}. Stays in this history for ever.',
  })
}

function receiveAct(signals: Signals, act: unknown): void {
  if (isSmallJson(act)) signals.act({ id: uuid4(), act })
  else {
    signals.refused()
    log.warn('refused an act sent as a signal: it must be plain JSON of at most 16 KiB')
  }
}

/** Anyone who may signal can send anything. A payload too large for an activity would fail and be retried for ever. */
const ACT_BYTES_MAX = 16 * 1024

function isSmallJson(act: unknown): act is JsonObject {
  try {
    guardJson(act, { ...CONTENT_BOUNDS, bytesMax: ACT_BYTES_MAX })
    return true
  } catch {
    return false
  }
}
