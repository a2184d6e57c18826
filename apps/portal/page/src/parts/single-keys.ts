import { useHotkeys, useLocalStorage } from '@mantine/hooks'

/** Whether keys without Ctrl do something. Who speaks to the machine, or shakes, turns them off. */
export const useSingleKeys = () =>
  useLocalStorage({ key: 'treeos-single-keys', defaultValue: true, getInitialValueInEffect: false })

/** A dialog is open, over what the keys would act on. */
const isInDialog = (page: Pick<Document, 'querySelector'>): boolean =>
  page.querySelector('[role=dialog], [role=alertdialog]') !== null

/** Inputs that take no letters. */
const PRESSED = ['checkbox', 'radio', 'button', 'submit', 'reset', 'range', 'color', 'file']

/** Whether a key that is pressed there is a letter. @param at what has the focus */
export function takesText(at: EventTarget | null): boolean {
  const { tagName, type } = (at ?? {}) as { readonly tagName?: string; readonly type?: string }
  return (
    tagName === 'TEXTAREA' || tagName === 'SELECT' || (tagName === 'INPUT' && !PRESSED.includes(type ?? ''))
  )
}

/** In a field the keys write letters, so their default action stays. */
const LEFT = { preventDefault: false }

interface SingleKey {
  readonly act: () => void
  /** it acts again and again while it is held */
  readonly repeats?: boolean
}

/** Keys that do something by themselves. In a field they are letters, and over a dialog nothing. */
export function useSingleKeyActs(keys: Readonly<Record<string, SingleKey>>): void {
  const [isOn] = useSingleKeys()
  const unlessOff =
    ({ act, repeats = false }: SingleKey) =>
    (event: KeyboardEvent) => {
      if (!isOn || isInDialog(document) || takesText(event.target)) return
      event.preventDefault()
      if (repeats || !event.repeat) act()
    }
  // A checkbox and a tab are inputs, too: `takesText` tells them apart.
  useHotkeys(
    Object.entries(keys).map(([key, one]) => [key, unlessOff(one), LEFT]),
    [],
  )
}
