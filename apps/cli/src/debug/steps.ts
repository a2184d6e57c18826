/** What a person sees of the debugger, beside the moment itself. */
export interface DebugState {
  readonly n: number
  readonly newest: number
  /** the first line of the page that is shown */
  readonly top: number
  /** at the end: goes on to each moment as it ends */
  readonly isFollowing: boolean
  /** what is being typed; null while keys are commands */
  readonly asking: { readonly what: 'number' | 'search'; readonly text: string } | null
  /** what was searched last */
  readonly query: string | null
  /** said at the foot until the next key */
  readonly note: string | null
}

/** A key as `readline` reports it. */
export interface Key {
  readonly name?: string | undefined
  readonly sequence?: string | undefined
  readonly ctrl?: boolean | undefined
  readonly meta?: boolean | undefined
}

/** What a key asks for that takes the record. */
export type Wish =
  | { readonly kind: 'quit' }
  | { readonly kind: 'go'; readonly n: number }
  | { readonly kind: 'stack'; readonly by: 1 | -1 }
  | { readonly kind: 'find'; readonly query: string; readonly by: 1 | -1 }
  | { readonly kind: 'event' }

export interface Step {
  readonly state: DebugState
  readonly wish: Wish | null
}

/** How much of a page fits, and how long it is, in lines. */
export interface Extent {
  readonly height: number
  readonly lines: number
}

export const KEYS = '←→ moment  ↑↓ scroll  [ ] stack changed  g end G  # number  / search  t event  q quit'

/** Pure: the state after a key, and what it asks for. */
export function press(state: DebugState, key: Key, extent: Extent): Step {
  const quiet = { ...state, note: null }
  if (key.ctrl === true && key.name === 'c') return { state: quiet, wish: { kind: 'quit' } }
  return quiet.asking === null ? command(quiet, key, extent) : typed(quiet, quiet.asking, key)
}

function command(state: DebugState, key: Key, { height, lines }: Extent): Step {
  const { n, newest, top, query } = state
  const last = Math.max(0, lines - height)
  const scroll = (to: number): Step => ({
    state: { ...state, top: Math.min(last, Math.max(0, to)) },
    wish: null,
  })
  const go = (to: number): Step => {
    const at = Math.min(newest, Math.max(1, to))
    const moved = { ...state, isFollowing: at === newest }
    return at === n ? { state: moved, wish: null } : { state: moved, wish: { kind: 'go', n: at } }
  }
  const wish = (wish: Wish): Step => ({ state: { ...state, isFollowing: false }, wish })
  const ask = (what: 'number' | 'search', text = ''): Step => ({
    state: { ...state, asking: { what, text } },
    wish: null,
  })
  const { sequence = '' } = key
  if (/^[1-9]$/.test(sequence)) return ask('number', sequence)
  switch (sequence) {
    case ']':
      return wish({ kind: 'stack', by: 1 })
    case '[':
      return wish({ kind: 'stack', by: -1 })
    case '#':
      return ask('number')
    case '/':
      return ask('search')
    case 'n':
      return query === null ? ask('search') : wish({ kind: 'find', query, by: 1 })
    case 'N':
      return query === null ? ask('search') : wish({ kind: 'find', query, by: -1 })
    case 'g':
      return go(1)
    case 'G':
      return go(newest)
    case 't':
      return { state, wish: { kind: 'event' } }
    case 'q':
      return { state, wish: { kind: 'quit' } }
  }
  switch (key.name) {
    case 'right':
    case 'l':
      return go(n + 1)
    case 'left':
    case 'h':
      return go(n - 1)
    case 'down':
    case 'j':
      return scroll(top + 1)
    case 'up':
    case 'k':
      return scroll(top - 1)
    case 'pagedown':
    case 'space':
      return scroll(top + height)
    case 'pageup':
    case 'b':
      return scroll(top - height)
    case 'home':
      return scroll(0)
    case 'end':
      return scroll(last)
  }
  return { state, wish: null }
}

function typed(state: DebugState, { what, text }: NonNullable<DebugState['asking']>, key: Key): Step {
  const asking = (next: string): Step => ({ state: { ...state, asking: { what, text: next } }, wish: null })
  const over = { ...state, asking: null }
  if (key.name === 'escape') return { state: over, wish: null }
  if (key.name === 'backspace') return asking([...text].slice(0, -1).join(''))
  if (key.name === 'return' || key.name === 'enter') return asked(over, what, text)
  const { sequence = '' } = key
  const isText = key.ctrl !== true && key.meta !== true && /^[^\p{Cc}]+$/v.test(sequence)
  if (!isText || (what === 'number' && !/^\d+$/.test(sequence))) return { state, wish: null }
  return asking((text + sequence).slice(0, ASKED_MAX))
}

/** Longer text is neither a number of a moment nor a search. */
const ASKED_MAX = 80

function asked(state: DebugState, what: 'number' | 'search', text: string): Step {
  if (text === '') return { state, wish: null }
  if (what === 'search') {
    return {
      state: { ...state, query: text, isFollowing: false },
      wish: { kind: 'find', query: text, by: 1 },
    }
  }
  const n = Number(text)
  if (n >= 1 && n <= state.newest)
    return { state: { ...state, isFollowing: n === state.newest }, wish: { kind: 'go', n } }
  return {
    state: { ...state, note: `there is no moment ${text}: they count from 1 to ${state.newest}` },
    wish: null,
  }
}
