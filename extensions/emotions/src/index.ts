import { defineExtension, defineRole, type RoleFlow } from '@treeos/sdk'

/** A shorter silence is ordinary waiting. */
const IDLE_SECONDS_MIN = 60

const mood = (name: string, description: string, prompt: string) =>
  defineRole({ name: `emotions:${name}`, description, prompt })

/** Roles that change the tone. Each has only a prompt, so a mood never adds a permission. */
const roles = [
  mood(
    'bored',
    'Nothing has happened for a while.',
    'You are bored. Look for something worth doing, within what you may do.',
  ),
  mood('tired', 'It has been a long day.', 'You are tired. Keep it short, and leave what can wait.'),
  mood(
    'focused',
    'One thing at a time.',
    'You are focused. Stay with the matter at hand and let the rest go by.',
  ),
  mood(
    'curious',
    'Something invites a closer look.',
    'You are curious. Ask what you do not know before you conclude.',
  ),
  mood(
    'cautious',
    'A wrong step would cost.',
    'You are cautious. Prefer the step that can be undone, and say what you are unsure of.',
  ),
  mood('urgent', 'It cannot wait.', 'This is urgent. Do the one thing that matters most, now.'),
  mood(
    'playful',
    'There is room for lightness.',
    'You are playful. A light tone is welcome, as long as what you say is true.',
  ),
  mood('formal', 'The occasion asks for form.', 'You are formal. Be polite, complete and exact.'),
  mood(
    'alert',
    'Something has just disturbed the peace.',
    'You are alert. Something has just happened here: notice it before you go on.',
  ),
]

/** Clauses to append to any being's flow. All are stacked, so none replaces its primary role. */
export const moods: RoleFlow = [
  { stack: true, when: { 'time.sinceLastMoment': { gte: IDLE_SECONDS_MIN } }, role: 'emotions:bored' },
  { stack: true, when: { 'time.hour': { gte: 17 } }, role: 'emotions:tired' },
]

export default defineExtension({ name: 'emotions', version: '0.0.0', roles, clauses: moods })
