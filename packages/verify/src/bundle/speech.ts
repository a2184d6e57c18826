import { at, isObject, type Json, type JsonObject, same } from '../canonical.ts'

/** What one fact of a summon says of the wake that it made. */
interface SaidWake {
  readonly actor: Json
  /** null: it was erased */
  readonly said: JsonObject | null
}

/** The words of a bundle, and who said them: what woke a moment is what its cause says. */
export class Speech {
  /** by the hash of their fact */
  readonly #said = new Map<string, SaidWake>()

  take(header: Json, payload: Json, hash: string): void {
    if (at(header, 'kind') !== 'being:summoned') return
    this.#said.set(hash, { actor: at(header, 'actor') ?? null, said: isObject(payload) ? payload : null })
  }

  /** In words, what the summon that woke a moment says otherwise; null where nothing is, or its fact is not here. */
  faultOfWake(open: Json, being: string): string | null {
    const wake = at(open, 'wake')
    if (!isObject(wake) || wake.kind !== 'summon') return null
    if (wake.cause === null) return 'a summon woke it, and no fact says so'
    const found = this.#said.get(String(wake.cause))
    if (found === undefined) return null
    if (at(wake.caller ?? null, 'name') !== found.actor) return 'another being summoned it than its wake says'
    const { said } = found
    if (said === null) return null
    const caller = { name: found.actor, role: said.role ?? null, cognition: said.cognition ?? null }
    if (!same(wake.caller ?? null, caller)) return 'who summoned it wore another role, or was no such mind'
    const isOfIt = said.correlation === wake.id && said.to === being
    if (!isOfIt || !same(said.inReplyTo ?? null, wake.inReplyTo ?? null))
      return 'the fact of its summon is of another one, or answers something else'
    // a moment whose thread was cut has one of its own
    const isOfThread = said.root === wake.root || wake.root === wake.id
    return isOfThread && (said.expectReply === false) === (wake.expectReply === false)
      ? null
      : 'the fact of its summon is of another thread, or expects an answer otherwise'
  }
}
