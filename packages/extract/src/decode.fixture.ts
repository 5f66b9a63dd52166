/** Own sentences in many languages, and their bytes in the encodings pages are written in. Made once, by Python's codecs. */

export interface CharsetSample {
  readonly language: string;
  /** As a server would name it. */
  readonly label: string;
  readonly text: string;
  readonly base64: string;
  /** Whether it is told by the bytes alone. */
  readonly isGuessed: boolean;
}

const TEXTS: Readonly<Record<string, string>> = {
  ja: '図書館は毎朝九時に開き、夕方六時に閉まります。本を借りるには、受付で会員証を見せてください。雨の日には窓際の席がとても静かです。',
  ru: 'Утром над рекой стоял туман, и паром отходил от берега без единого звука. К полудню рынок наполнился людьми, запахом хлеба и свежей рыбы.',
  el: 'Το μικρό λιμάνι ξυπνά νωρίς και οι ψαράδες γυρίζουν με γεμάτα δίχτυα. Η γιαγιά μου έλεγε πως η θάλασσα δεν ξεχνά ποτέ κανέναν.',
  ko: '도서관은 아침 아홉 시에 문을 열고 저녁 여섯 시에 닫습니다. 책을 빌리려면 안내대에서 회원증을 보여 주세요. 비 오는 날에는 창가 자리가 조용합니다.',
  'zh-cn':
    '图书馆每天早上九点开门，晚上六点关门。借书的时候请在前台出示会员证。下雨天靠窗的座位非常安静，很多人喜欢在那里读书。',
  'zh-tw':
    '圖書館每天早上九點開門，晚上六點關門。借書的時候請在櫃檯出示會員證。下雨天靠窗的座位非常安靜，很多人喜歡在那裡讀書。',
  pl: 'Każdego ranka piekarz otwierał sklep, a zapach świeżego chleba wypełniał całą ulicę. Dzieci śmiały się głośno, gdy źrebię goniło żółte liście. Wójt obiecał, że łąka nad rzeką pozostanie nietknięta.',
  cs: 'Každé ráno otevírá pekař svůj krámek a vůně čerstvého chleba naplní celou ulici. Žluťoučké listí šustí dětem pod nohama a řeka tiše teče kolem mlýna.',
  hu: 'Minden reggel korán nyílik a pékség, és a friss kenyér illata betölti az egész utcát. A gyerekek nevetve futnak a sárga levelek között, az öreg malom pedig őrzi a folyót.',
  tr: 'Her sabah fırıncı dükkânını açar ve taze ekmeğin kokusu bütün sokağı sarar. Çocuklar sararmış yaprakların arasında gülerek koşuşur, ırmak ise ağır ağır değirmenin yanından geçer.',
  he: 'בכל בוקר פותח האופה את החנות וריח הלחם הטרי ממלא את הרחוב כולו. הילדים צוחקים ורצים בין העלים הצהובים, והנהר זורם לאט ליד הטחנה הישנה.',
  ar: 'في كل صباح يفتح الخباز دكانه وتملأ رائحة الخبز الطازج الشارع كله. يركض الأطفال ضاحكين بين الأوراق الصفراء، ويجري النهر ببطء بجانب الطاحونة القديمة.',
  de: 'Jeden Morgen öffnet der Bäcker früh seinen Laden, und der Duft von frischem Brot füllt die ganze Straße. Später lärmen die Kinder fröhlich über den großen Hof.',
  fr: 'Chaque matin, le boulanger ouvre sa boutique et l’odeur du pain frais remplit la rue entière. Les élèves, déjà pressés, traversent la place où l’été s’achève.',
  es: 'Cada mañana el panadero abre su tienda y el olor a pan recién hecho llena toda la calle. Los niños corren riéndose entre las hojas amarillas del otoño.',
  lt: 'Kiekvieną rytą kepėjas atidaro savo krautuvėlę ir šviežios duonos kvapas užpildo visą gatvę. Vaikai juokdamiesi bėgioja tarp geltonų lapų, o upė lėtai teka pro seną malūną.',
  th: 'ทุกเช้าคนทำขนมปังเปิดร้านแต่เช้า และกลิ่นขนมปังสดใหม่อบอวลไปทั่วทั้งถนน เด็ก ๆ วิ่งเล่นหัวเราะท่ามกลางใบไม้สีเหลือง',
  uk: 'Щоранку пекар відчиняє свою крамницю, і запах свіжого хліба наповнює всю вулицю. Діти, сміючись, бігають серед жовтого листя, а річка тихо тече повз старий млин.',
  vi: 'Mỗi sáng người thợ làm bánh mở cửa tiệm và mùi bánh mì mới tỏa khắp con phố.',
  'hy-gb': '𠮷野家和㐀字都在这里，图书馆每天早上九点开门，晚上六点关门。',
};

const ROWS: readonly (readonly [language: string, label: string, base64: string, isGuessed?: false])[] = [
  [
    'ja',
    'shift_jis',
    'kH2PkYrZgs2WiJKpi+OOnoLJikqCq4FBl1uV+5hajp6CyZXCgtyC6ILcgreBQpZ7gvCO2ILogumCyYLNgUGO85V0gsWJ74j1j9iC8IypgrmCxIKtgr6Cs4KigUKJSoLMk/qCyYLNkYuN24LMkMiCqoLGgsSC4JDDgqmCxYK3gUI=',
  ],
  [
    'ja',
    'euc-jp',
    'v9698bTbpM/L6MSrtuW7/qTLs6ukraGizbzK/c+7u/6ky8rEpN6k6qTepLmho8vcpPK82qTqpOuky6TPoaK89cnVpMey8bD3vtqk8rirpLukxqSvpMCktaSkoaOxq6TOxvyky6TPweu63aTOwMqkrKTIpMak4sDFpKukx6S5oaM=',
  ],
  [
    'ja',
    'iso-2022-jp',
    'GyRCP149cTRbJE9LaEQrNmU7fiRLMyskLSEiTTxKfU87O34kS0pEJF4kaiReJDkhI0tcJHI8WiRqJGskSyRPISI8dUlVJEcycTB3PlokcjgrJDskRiQvJEAkNSQkISMxKyRORnwkSyRPQWs6XSROQEokLCRIJEYkYkBFJCskRyQ5ISMbKEI=',
  ],
  [
    'ru',
    'windows-1251',
    '0/Lw7uwg7eDkIPDl6u7pIPHy7v/rIPLz7ODtLCDoIO/g8O7sIO7y9e7k6Osg7vIg4eXw5ePgIOHl5yDl5Ojt7uPuIOfi8+rgLiDKIO/u6/Pk7f4g8Pvt7uog7eDv7uvt6Ovx/yDr/uT87OgsIOfg7+D17uwg9evl4eAg6CDx4uXm5ekg8Pvh+y4=',
  ],
  [
    'ru',
    'koi8-r',
    '9dTSz80gzsHEINLFy8/KINPUz9HMINTVzcHOLCDJINDB0s/NIM/UyM/Eycwgz9QgwsXSxcfBIMLF2iDFxMnOz8fPINrX1cvBLiDrINDPzNXEzsAg0tnOz8sgzsHQz8zOyczT0SDMwMTYzcksINrB0MHIz80gyMzFwsEgySDT18XWxcog0tnC2S4=',
  ],
  [
    'ru',
    'iso-8859-5',
    'w+Lg3twg3dDUIODV2t7ZIOHi3u/bIOLj3NDdLCDYIN/Q4N7cIN7i5d7U2Nsg3uIg0dXg1dPQINHV1yDV1Njd3tPeINfS49rQLiC6IN/e2+PU3e4g4Ovd3tog3dDf3tvd2Nvh7yDb7tTs3NgsINfQ39Dl3twg5dvV0dAg2CDh0tXW1dkg4OvR6y4=',
  ],
  [
    'ru',
    'ibm866',
    'k+LgrqwgraCkIOClqq6pIOHiru+rIOLjrKCtLCCoIK+g4K6sIK7i5a6kqKsgruIgoaXgpaOgIKGlpyClpKitrqOuIKei46qgLiCKIK+uq+Okre4g4OutrqograCvrqutqKvh7yCr7qTsrKgsIKegr6Dlrqwg5auloaAgqCDhoqWmpakg4Ouh6y4=',
    false,
  ],
  [
    'el',
    'windows-1253',
    '1O8g7Onq8fwg6+ns3O3pIO718O3cIO358d/yIOrh6SDv6SD44fHc5OXyIOP18d/m7/XtIOzlIOPl7Nz04SDk3/f09eEuIMcg4+nh4+ncIOzv9SDd6+Xj5SDw+fIg5yDo3Ovh8/PhIOTl7SDu5fft3CDw7/TdIOrh7d3t4e0u',
  ],
  [
    'el',
    'iso-8859-7',
    '1O8g7Onq8fwg6+ns3O3pIO718O3cIO358d/yIOrh6SDv6SD44fHc5OXyIOP18d/m7/XtIOzlIOPl7Nz04SDk3/f09eEuIMcg4+nh4+ncIOzv9SDd6+Xj5SDw+fIg5yDo3Ovh8/PhIOTl7SDu5fft3CDw7/TdIOrh7d3t4e0u',
  ],
  [
    'ko',
    'euc-kr',
    'tbW8rbD8wLogvsbEpyC+xsipIL3Dv6Egua7AuyC/rbDtIMD6s+Egv6m8uCC9w7+hILTdvcC0z7TZLiDDpcC7ILr0uK63wbjpIL7Is7u067+hvK0gyLi/+MH1wLsguri/qSDB1ry8v+QuILrxIL/AtMIgs6+/obTCIMOisKEgwNq4rrChIMG2v+vH1bTPtNku',
  ],
  [
    'zh-cn',
    'gbk',
    'zbzK6bndw7/M7NTnyc++xbXjv6rDxaOsze3Jz8H5teO52MPFoaO96MrptcTKsbryx+vU2sewzKiz9sq+u+HUsdakoaPPwtPqzOy/v7SwtcTX+c67t8ezo7CyvrKjrLrctuDIy8+yu7bU2sTHwO+2wcrpoaM=',
  ],
  [
    'zh-tw',
    'big5',
    'uc+u0cBdqEOk0aatpFekRcJJtn2q+aFBsd+kV6S7wknD9qr5oUOtya7Rqrquya3UvdCmYsJkwmmlWKXct3yt+8PSoUOkVatCpNG+YbWhqrqueabsq0SxYKZ3wFKhQavcpmikSLPfxXemYqi6uMzFqq7RoUM=',
  ],
  [
    'pl',
    'windows-1250',
    'S2G/ZGVnbyByYW5rYSBwaWVrYXJ6IG90d2llcmGzIHNrbGVwLCBhIHphcGFjaCCcd2llv2VnbyBjaGxlYmEgd3lwZbNuaWGzIGNhs7kgdWxpY+ouIER6aWVjaSCcbWlhs3kgc2nqIGezb5xubywgZ2R5IJ9yZWJp6iBnb25ps28gv/OzdGUgbGmcY2llLiBX82p0IG9iaWVjYbMsIL9lILO5a2EgbmFkIHJ6ZWu5IHBvem9zdGFuaWUgbmlldGtuaep0YS4=',
  ],
  [
    'pl',
    'iso-8859-2',
    'S2G/ZGVnbyByYW5rYSBwaWVrYXJ6IG90d2llcmGzIHNrbGVwLCBhIHphcGFjaCC2d2llv2VnbyBjaGxlYmEgd3lwZbNuaWGzIGNhs7EgdWxpY+ouIER6aWVjaSC2bWlhs3kgc2nqIGezb7ZubywgZ2R5ILxyZWJp6iBnb25ps28gv/OzdGUgbGm2Y2llLiBX82p0IG9iaWVjYbMsIL9lILOxa2EgbmFkIHJ6ZWuxIHBvem9zdGFuaWUgbmlldGtuaep0YS4=',
  ],
  [
    'cs',
    'windows-1250',
    'S2GeZOkgcuFubyBvdGV27XLhIHBla2H4IHN2+Woga3LhbWVrIGEgdvlu7CDoZXJzdHbpaG8gY2hsZWJhIG5hcGxu7SBjZWxvdSB1bGljaS4gjmx1nW916GvpIGxpc3TtIJp1c3TtIGTsdGVtIHBvZCBub2hhbWEgYSD4ZWthIHRpmmUgdGXoZSBrb2xlbSBtbP1uYS4=',
  ],
  [
    'cs',
    'iso-8859-2',
    'S2G+ZOkgcuFubyBvdGV27XLhIHBla2H4IHN2+Woga3LhbWVrIGEgdvlu7CDoZXJzdHbpaG8gY2hsZWJhIG5hcGxu7SBjZWxvdSB1bGljaS4grmx1u2916GvpIGxpc3TtILl1c3TtIGTsdGVtIHBvZCBub2hhbWEgYSD4ZWthIHRpuWUgdGXoZSBrb2xlbSBtbP1uYS4=',
  ],
  [
    'hu',
    'windows-1250',
    'TWluZGVuIHJlZ2dlbCBrb3LhbiBuee1saWsgYSBw6Wtz6WcsIOlzIGEgZnJpc3Mga2VueelyIGlsbGF0YSBiZXT2bHRpIGF6IGVn6XN6IHV0Y+F0LiBBIGd5ZXJla2VrIG5ldmV0dmUgZnV0bmFrIGEgc+FyZ2EgbGV2ZWxlayBr9nr2dHQsIGF6IPZyZWcgbWFsb20gcGVkaWcg9XJ6aSBhIGZvbHnzdC4=',
  ],
  [
    'hu',
    'iso-8859-2',
    'TWluZGVuIHJlZ2dlbCBrb3LhbiBuee1saWsgYSBw6Wtz6WcsIOlzIGEgZnJpc3Mga2VueelyIGlsbGF0YSBiZXT2bHRpIGF6IGVn6XN6IHV0Y+F0LiBBIGd5ZXJla2VrIG5ldmV0dmUgZnV0bmFrIGEgc+FyZ2EgbGV2ZWxlayBr9nr2dHQsIGF6IPZyZWcgbWFsb20gcGVkaWcg9XJ6aSBhIGZvbHnzdC4=',
  ],
  [
    'tr',
    'windows-1254',
    'SGVyIHNhYmFoIGb9cv1uY/0gZPxra+Ju/W79IGHnYXIgdmUgdGF6ZSBla21l8GluIGtva3VzdSBi/HT8biBzb2th8P0gc2FyYXIuIMdvY3VrbGFyIHNhcmFybf3+IHlhcHJha2xhcv1uIGFyYXP9bmRhIGf8bGVyZWsga2/+df51ciwg/XJtYWsgaXNlIGHw/XIgYfD9ciBkZfBpcm1lbmluIHlhbv1uZGFuIGdl52VyLg==',
  ],
  [
    'tr',
    'iso-8859-9',
    'SGVyIHNhYmFoIGb9cv1uY/0gZPxra+Ju/W79IGHnYXIgdmUgdGF6ZSBla21l8GluIGtva3VzdSBi/HT8biBzb2th8P0gc2FyYXIuIMdvY3VrbGFyIHNhcmFybf3+IHlhcHJha2xhcv1uIGFyYXP9bmRhIGf8bGVyZWsga2/+df51ciwg/XJtYWsgaXNlIGHw/XIgYfD9ciBkZfBpcm1lbmluIHlhbv1uZGFuIGdl52VyLg==',
  ],
  [
    'he',
    'windows-1255',
    '4evsIOHl9/gg9OX65yDk4OX05CDg+iDk5/Dl+iDl+OnnIOTs5+0g5Oj46SDu7uzgIOD6IOT45+XhIOvl7OUuIOTp7OPp7SD25ef36e0g5fj26e0g4envIOTy7OntIOT25OXh6e0sIOXk8OT4IObl+O0g7ODoIOzp4yDk6Ofw5CDk6fnw5C4=',
  ],
  [
    'he',
    'iso-8859-8',
    '4evsIOHl9/gg9OX65yDk4OX05CDg+iDk5/Dl+iDl+OnnIOTs5+0g5Oj46SDu7uzgIOD6IOT45+XhIOvl7OUuIOTp7OPp7SD25ef36e0g5fj26e0g4envIOTy7OntIOT25OXh6e0sIOXk8OT4IObl+O0g7ODoIOzp4yDk6Ofw5CDk6fnw5C4=',
  ],
  [
    'ar',
    'windows-1256',
    '3e0g3+Eg1cjHzSDt3crNIMfhzsjH0iDP38fk5SDmyuPhwyDRx8bNySDH4c7I0iDH4djH0swgx+HUx9HaIN/h5S4g7dHf1iDH4cPY3cfhINbHzd/t5CDI7eQgx+HD5tHH3iDH4dXd0cfBoSDm7czR7SDH4eTl0SDIyNjBIMjMx+TIIMfh2MfN5uTJIMfh3s/t48ku',
  ],
  [
    'ar',
    'iso-8859-6',
    '4eog4+Qg1cjHzSDq4crNIMfkzsjH0iDP48fm5yDoyuXkwyDRx8bNySDH5M7I0iDH5NfH0swgx+TUx9HZIOPk5y4g6tHj1iDH5MPX4cfkINbHzePq5iDI6uYgx+TD6NHH4iDH5NXh0cfBrCDo6szR6iDH5Obn0SDIyNfBIMjMx+bIIMfk18fN6ObJIMfk4s/q5cku',
  ],
  [
    'de',
    'windows-1252',
    'SmVkZW4gTW9yZ2VuIPZmZm5ldCBkZXIgQuRja2VyIGZy/Gggc2VpbmVuIExhZGVuLCB1bmQgZGVyIER1ZnQgdm9uIGZyaXNjaGVtIEJyb3QgZvxsbHQgZGllIGdhbnplIFN0cmHfZS4gU3DkdGVyIGzkcm1lbiBkaWUgS2luZGVyIGZy9mhsaWNoIPxiZXIgZGVuIGdyb99lbiBIb2Yu',
  ],
  [
    'fr',
    'windows-1252',
    'Q2hhcXVlIG1hdGluLCBsZSBib3VsYW5nZXIgb3V2cmUgc2EgYm91dGlxdWUgZXQgbJJvZGV1ciBkdSBwYWluIGZyYWlzIHJlbXBsaXQgbGEgcnVlIGVudGnocmUuIExlcyDpbOh2ZXMsIGTpauAgcHJlc3PpcywgdHJhdmVyc2VudCBsYSBwbGFjZSBv+SBskul06SBzkmFjaOh2ZS4=',
  ],
  [
    'es',
    'windows-1252',
    'Q2FkYSBtYfFhbmEgZWwgcGFuYWRlcm8gYWJyZSBzdSB0aWVuZGEgeSBlbCBvbG9yIGEgcGFuIHJlY2npbiBoZWNobyBsbGVuYSB0b2RhIGxhIGNhbGxlLiBMb3Mgbmnxb3MgY29ycmVuIHJp6W5kb3NlIGVudHJlIGxhcyBob2phcyBhbWFyaWxsYXMgZGVsIG90b/FvLg==',
  ],
  [
    'lt',
    'windows-1257',
    'S2lla3ZpZW7gIHJ5dOAga2Vw62phcyBhdGlkYXJvIHNhdm8ga3JhdXR1duts5iBpciDwdmll/mlvcyBkdW9ub3Mga3ZhcGFzIHX+cGlsZG8gdmlz4CBnYXR25i4gVmFpa2FpIGp1b2tkYW1pZXNpIGLrZ2lvamEgdGFycCBnZWx0b274IGxhcPgsIG8gdXDrIGzrdGFpIHRla2EgcHJvIHNlbuAgbWFs+27gLg==',
  ],
  [
    'th',
    'windows-874',
    't9ih4Krp0qS5t9OiucG70afgu9S0w+nSueG16OCq6dIg4cXQocXU6LmiucG70afKtOPLwejNus3HxeS7t9Hox7fR6ae2ubkg4LTnoSDmIMfU6Kfgxei5y9HH4MPS0Lfo0sGhxdKn47rkwenK1eDLxdfNpw==',
    false,
  ],
  [
    'uk',
    'windows-1251',
    '2e7w4O3q8yDv5erg8CDis+T36O3/uiDx4u7+IOrw4Ozt6Pb+LCCzIOfg7+D1IPHis+bu4+4g9euz4eAg7eDv7uLt/rog4vH+IOLz6+j2/i4gxLPy6Cwg8eyz/vfo8fwsIOGz4+D+8vwg8eXw5eQg5u7i8u7j7iDr6PHy/ywg4CDws/fq4CDy6PXuIPLl9+Ug7+7i5yDx8uDw6Okg7Ovo7S4=',
  ],
  [
    'uk',
    'koi8-u',
    '/c/Swc7L1SDQxcvB0iDXpsTeyc7RpCDT18/AIMvSwc3OycPALCCmINrB0MHIINPXptbPx88gyMymwsEgzsHQz9fOwKQg19PAINfVzMnDwC4g5KbUySwg082mwN7J09gsIMKmx8HA1Ngg08XSxcQg1s/X1M/HzyDMydPU0SwgwSDSpt7LwSDUycjPINTF3sUg0M/X2iDT1MHSycogzczJzi4=',
  ],
  [
    'uk',
    'iso-8859-5',
    'yd7g0N3a4yDf1drQ4CDS9tTn2N3v9CDh0t7uINrg0Nzd2ObuLCD2INfQ39DlIOHS9tbe094g5dv20dAg3dDf3tLd7vQg0uHuINLj29jm7i4gtPbi2Cwg4dz27ufY4ewsINH209Du4uwg4dXg1dQg1t7S4t7T3iDb2OHi7ywg0CDg9ufa0CDi2OXeIOLV59Ug397S1yDh4tDg2Nkg3NvY3S4=',
  ],
  [
    'hy-gb',
    'gb18030',
    'lTSyNdKwvNK6zYE57jnX1ra81NrV4sDvo6zNvMrpud3Dv8zs1OfJz77FteO/qsPFo6zN7cnPwfm147nYw8Whow==',
    false,
  ],
];

export const CHARSET_SAMPLES: readonly CharsetSample[] = ROWS.map(([language, label, base64, isGuessed = true]) => ({
  language,
  label,
  text: TEXTS[language] ?? '',
  base64,
  isGuessed,
}));
