import { Switch } from '@mantine/core'
import { useSingleKeys } from '../parts/single-keys.ts'

/** Which keys do what, and a way to turn them off. */
export function KeysHint() {
  const [isOn, turn] = useSingleKeys()
  return (
    <span className="keys-hint">
      <Switch
        size="xs"
        checked={isOn}
        onChange={(event) => turn(event.currentTarget.checked)}
        label="Single keys"
        labelPosition="left"
      />
      {isOn ? (
        <span className="wide-only">
          <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>r</kbd> answer, <kbd>y</kbd> yes, <kbd>n</kbd> no,{' '}
          <kbd>u</kbd> undo, <kbd>e</kbd> mark as read.
        </span>
      ) : null}
    </span>
  )
}
