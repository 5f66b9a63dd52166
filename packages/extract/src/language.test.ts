import { describe, expect, it } from 'vitest';
import { detectLanguage } from './language.ts';

describe('the language of a text', () => {
  it.each([
    [
      'en',
      'The keeper of the lighthouse wrote down the height of the water each morning, and he did not miss a day in forty years.',
    ],
    [
      'de',
      'Der Wärter des Leuchtturms schrieb jeden Morgen die Höhe des Wassers auf und hat in vierzig Jahren nicht einen Tag ausgelassen.',
    ],
    [
      'fr',
      'Le gardien du phare notait chaque matin la hauteur de l’eau dans un cahier, et il n’a pas manqué un seul jour pendant quarante ans.',
    ],
    [
      'es',
      'El guardián del faro anotaba cada mañana la altura del agua en un cuaderno y no faltó ni un solo día durante los cuarenta años.',
    ],
    [
      'it',
      'Il guardiano del faro annotava ogni mattina l’altezza dell’acqua in un quaderno e non mancò un solo giorno per quaranta anni.',
    ],
    [
      'pl',
      'Latarnik co rano zapisywał w zeszycie wysokość wody i przez czterdzieści lat nie opuścił ani jednego dnia, nawet zimą.',
    ],
    [
      'ru',
      'Смотритель маяка каждое утро записывал высоту воды в тетрадь и за сорок лет не пропустил ни одного дня, даже зимой.',
    ],
    [
      'ja',
      '灯台守は毎朝、水の高さを帳面に書きとめ、四十年のあいだ一日も休まなかった。冬の嵐の朝も、彼は必ず階段を下りて目盛りを読み、その数字を丁寧に書き写した。そして夜には灯をともし、沖を行く船のために朝まで見守った。',
    ],
    [
      'el',
      'Ο φύλακας του φάρου σημείωνε κάθε πρωί το ύψος του νερού σε ένα τετράδιο και δεν έχασε ούτε μία μέρα σε σαράντα χρόνια.',
    ],
  ])('is %s', (language, text) => {
    expect(detectLanguage(text)).toBe(language);
  });

  it.each([
    ['is too short', 'A short line.'],
    ['is no language', 'x = f(y); z += 1; '.repeat(10)],
    ['is only numbers', '1834 1835 1836 '.repeat(20)],
  ])('is not guessed where the text %s', (_, text) => {
    expect(detectLanguage(text)).toBeNull();
  });
});
