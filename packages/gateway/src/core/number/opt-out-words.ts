/** Words of one language with which people opt out and opt in. */
interface LanguageWords {
  readonly language: string;
  readonly stop: readonly string[];
  readonly start: readonly string[];
}

const table: readonly (readonly [language: string, stop: string, start: string])[] = [
  [
    'English',
    'STOP, STOPALL, STOP ALL, UNSUBSCRIBE, UNSUB, CANCEL, END, QUIT, REVOKE, OPTOUT, OPT OUT, OPT ME OUT, STOP SMS, STOP MSG, ' +
      'STOP MESSAGES, STOP MESSAGING ME, STOP TEXTING ME, STOP IT, REMOVE ME, NO MORE MESSAGES, NO MORE TEXTS, ' +
      "DON'T TEXT ME, DONT TEXT ME, DO NOT TEXT ME, TAKE ME OFF YOUR LIST",
    'START, UNSTOP, OPTIN, OPT IN, SUBSCRIBE, RESUBSCRIBE',
  ],
  ['German', 'STOPP, ABMELDEN, ABBESTELLEN, AUSTRAGEN', 'ANMELDEN'],
  [
    'French',
    'ARRET, ARRÊTER, ARRÊTEZ, ARRÊT SMS, DÉSABONNER, DÉSABONNEMENT, DÉSINSCRIRE, DÉSINSCRIPTION',
    "ABONNER, S'ABONNER",
  ],
  ['Spanish', 'BAJA, ALTO, PARAR, CANCELAR, DETENER, DARSE DE BAJA', 'ALTA'],
  ['Portuguese', 'PARAR, SAIR, CANCELAR, REMOVER', 'REATIVAR'],
  ['Italian', 'ANNULLA, CANCELLA, CANCELLAMI, DISISCRIVI, DISISCRIVIMI, BASTA', 'ISCRIVIMI'],
  ['Dutch', 'STOPPEN, AFMELDEN, UITSCHRIJVEN', 'AANMELDEN'],
  ['Polish', 'WYPISZ, REZYGNUJĘ, ANULUJ, KONIEC', 'ZAPISZ'],
  ['Turkish', 'RET, İPTAL, DURDUR', 'BAŞLA, BAŞLAT'],
  ['Swedish', 'STOPP, AVSLUTA, AVREGISTRERA, AVANMÄL', 'STARTA'],
  ['Danish', 'AFMELD, FRAMELD, AFBRYD', 'TILMELD'],
  ['Norwegian', 'STOPP, AVMELD, MELD AV, AVSLUTT', 'PÅMELD'],
  ['Finnish', 'LOPETA, PERUUTA, POISTA', 'ALOITA'],
  ['Czech', 'ODHLÁSIT, ODHLAS, ZRUŠIT, KONEC', 'PŘIHLÁSIT'],
  ['Slovak', 'ODHLÁSIŤ, ZRUŠIŤ', 'PRIHLÁSIŤ'],
  ['Hungarian', 'LEÁLLÍT, LEIRATKOZÁS, LEIRATKOZOM', 'FELIRATKOZÁS'],
  ['Romanian', 'DEZABONARE, DEZABONEAZĂ, OPREȘTE, RENUNȚ', 'ABONARE'],
  ['Croatian, Serbian', 'ODJAVA, ODJAVI, ОДЈАВА', 'PRIJAVA, ПРИЈАВА'],
  ['Bulgarian', 'СТОП, ОТКАЗ, ОТПИШИ', 'СТАРТ'],
  ['Russian', 'СТОП, ОТПИСАТЬСЯ, ОТПИСКА, ОТПИШИТЕ, ОТМЕНА', 'СТАРТ, ПОДПИСАТЬСЯ'],
  ['Ukrainian', 'СТОП, ВІДПИСАТИСЯ, ВІДПИСКА, ВІДМІНА', 'СТАРТ, ПІДПИСАТИСЯ'],
  ['Greek', 'ΣΤΟΠ, ΔΙΑΓΡΑΦΗ, ΑΚΥΡΩΣΗ, ΤΕΛΟΣ', 'ΕΓΓΡΑΦΗ, ΕΝΑΡΞΗ'],
  ['Arabic', 'توقف, قف, إيقاف, إلغاء, إلغاء الاشتراك', 'ابدأ, اشتراك'],
  ['Persian', 'لغو, توقف', 'شروع'],
  ['Hebrew', 'הסר, הסרה, עצור, הפסק', 'הצטרף, התחל'],
  ['Chinese', '退订, 退訂, TD, 停止, 取消', '订阅, 訂閱'],
  ['Japanese', '停止, 配信停止, ストップ, 解除', '再開, 登録'],
  ['Korean', '수신거부, 수신 거부, 중지, 거부', '수신동의, 수신 동의'],
  ['Indonesian, Malay', 'BERHENTI, BATAL', 'LANGGAN'],
  ['Vietnamese', 'TỪ CHỐI', 'ĐĂNG KÝ'],
];

/**
 * The usual opt-out and opt-in words. The English stop words come from the law (47 CFR 64.1200(a)(10): stop, quit, end,
 * revoke, opt out, cancel, unsubscribe) and from CTIA's Messaging Principles (2023, section 5.1.3). Words of other
 * languages are those that regulators and operators require in messages (RET in Turkey, TD and 退订 in China, הסר in
 * Israel, BAJA in Spain). A START word ends a protection, so it must be clear. YES and OK are left out, because people
 * also answer other questions with them. The language of a text is unknown, so words that are common in another
 * language are left out too (Finnish SEIS is Spanish for six).
 */
export const usualWords: readonly LanguageWords[] = table.map(([language, stop, start]) => ({
  language,
  stop: stop.split(', '),
  start: start.split(', '),
}));

/** Polite words that may stand beside an opt-out word without changing its meaning. */
export const politeWords: readonly string[] = [
  "please, pls, plz, thanks, thank you, bitte, danke, svp, s'il vous plaît, merci, por favor, gracias",
  'per favore, grazie, obrigado, alstublieft, aub, tack, takk, tak, kiitos, prosím, proszę, lütfen',
  'пожалуйста, будь ласка, παρακαλώ, בבקשה, من فضلك',
].flatMap((words) => words.split(', '));

/**
 * English words that may follow a stop word and only say what should stop, and when. US law accepts any reasonable way
 * to opt out (47 CFR 64.1200(a)(10)). After a word of `plain`, all these words are allowed ("stop sending me messages
 * now"). People also use the words of `everyday` to cancel appointments, so a word of `messages` must follow ("cancel
 * my subscription").
 */
export const reasonableMeans = {
  plain: ['stop', 'stopp', 'stopall', 'stop all', 'unsubscribe', 'unsub', 'optout', 'opt out', 'remove me'],
  everyday: ['cancel', 'end', 'quit', 'revoke'],
  messages: (
    'sms, msg, msgs, message, messages, messaging, text, texts, texting, txt, txts, subscription, notifications, alerts, ' +
    'newsletter, ads, spam, marketing, consent'
  ).split(', '),
  between: (
    'me, us, my, your, this, that, these, those, it, all, any, the, to, from, of, on, at, sending, contacting, number, phone, list, ' +
    'lists, now, immediately, right, away, today, more, further, and, do, not, dont, again, ever, anymore, asap, forever'
  ).split(', '),
  /** Forms of address and insults may follow too: "stop texting me you idiots" is an opt-out. */
  address: (
    'you, u, guys, people, dude, man, sir, madam, company, idiot, idiots, moron, morons, fool, fools, stupid, dumb, jerk, jerks, creep, ' +
    'creeps, scammer, scammers, spammer, spammers, asshole, assholes, arsehole, arseholes, bastard, bastards, wanker, wankers, ' +
    'fucker, fuckers, motherfucker, motherfuckers, bitch, bitches, fucking, bloody, damn, goddamn, annoying, crap, shit, bullshit'
  ).split(', '),
  /**
   * Words that may come before a word of `wished`: "I want to unsubscribe" is an opt-out. "I want to stop" is not,
   * because it may mean smoking.
   */
  before: ['i', 'we', 'want', 'wish', 'would', 'like', 'd', 'to', 'need'],
  wished: ['unsubscribe', 'unsub', 'optout', 'opt out'],
} as const;

/** The first words of signatures that phones and mail programs add. */
export const signatureBeginnings: readonly string[] = [
  'sent from, sent via, sent using, get outlook, gesendet von, gesendet mit, von meinem, envoyé de, envoyé depuis, enviado desde',
  'enviado do, enviado de, inviato da, verzonden vanaf, verzonden met, skickat från, sendt fra, lähetetty, wysłane z, odesláno z',
  'отправлено с, надіслано з',
].flatMap((beginnings) => beginnings.split(', '));
