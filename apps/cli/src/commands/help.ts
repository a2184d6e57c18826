import type { Cli } from '../cli.ts'
import { entriesOfTopic, findCommand, type HelpStyle, topicList, topicPage } from '../help/pages.ts'
import { isTopic, TOPIC_NAMES, TOPICS } from '../help/places.ts'
import { UsageError } from '../text/failure.ts'
import { coloured } from '../text/output.ts'

const STYLE: HelpStyle = {
  title: (text) => coloured('bold', text),
  command: (text) => coloured('cyan', text),
}

/** `treeos help`: the topics, the commands of one, or the page of one command. */
export function addHelp(cli: Cli): void {
  cli
    .command('help [topic-or-command...]', 'list the topics, the commands of one, or the help of a command')
    .action(
      cli.run(async (out, words: string[]) => {
        const [topic = ''] = words
        if (words.length === 0) {
          const topics = TOPIC_NAMES.map((name) => ({ topic: name, about: TOPICS[name].about }))
          return out.value({ topics }, () => topicList(STYLE))
        }
        if (words.length === 1 && isTopic(topic)) {
          const commands = entriesOfTopic(cli.program, topic)
          const page = () => topicPage(cli.program, topic, STYLE)
          return out.value({ topic, about: TOPICS[topic].about, commands }, page)
        }
        const command = findCommand(cli.program, words)
        if (command === null)
          throw new UsageError(
            `there is no topic and no command ${JSON.stringify(words.join(' '))}; topics are ${TOPIC_NAMES.join(', ')}`,
          )
        if (out.json) return out.value({ command: words.join(' '), help: command.helpInformation() }, String)
        command.outputHelp()
      }),
    )
}
