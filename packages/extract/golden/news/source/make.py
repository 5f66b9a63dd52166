# Writes the hand-made news and shop pages: two layouts each, one with semantic elements, one of plain boxes.
import os
NAV = ['Home', 'Coast', 'Politics', 'Business', 'Culture', 'Sport', 'Weather', 'Podcasts']
RELATED = [('Lighthouse keeper retires after forty winters', 'lighthouse'), ('Council argues over parking at the quay', 'parking'), ('Herring shoals return to Tarbet Sound', 'herring'), ('Choir to sing on a sandbank', 'choir')]
COMMENTS = [('Ishbel', 'About time. My grandfather asked for this in his day.'), ('Rory', 'Who pays for the batteries, I wonder?'), ('Anonymous', 'First comment, as always.')]

def semantic_news(slug, title, kicker, author, date, body):
    nav = ''.join(f'<li><a href="/{n.lower()}">{n}</a></li>' for n in NAV)
    rel = ''.join(f'<li><a href="/stories/{u}"><img src="/thumbs/{u}.jpg" alt=""><span>{t}</span></a></li>' for t, u in RELATED)
    com = ''.join(f'<li class="comment"><strong class="comment-author">{a}</strong> <time>yesterday</time><p>{c}</p><button>Reply</button> <button>Like</button></li>' for a, c in COMMENTS)
    return f'''<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title} | The Orrin Courier</title>
<meta property="og:type" content="article">
<meta name="author" content="{author}">
<link rel="canonical" href="https://news.example/stories/{slug}">
<link rel="stylesheet" href="/assets/courier.css">
<script src="/assets/ads.js" defer></script>
</head>
<body>
<a class="skip-link" href="#content">Skip to content</a>
<div id="cookie-banner" class="cookie-consent" role="dialog" aria-label="Cookies"><p>We and our 214 partners use cookies to personalise advertising. Manage your preferences or accept everything.</p><button>Accept all</button><button>Reject optional</button></div>
<header class="site-header" role="banner"><a class="logo" href="/">The Orrin Courier</a><form role="search"><input type="search" placeholder="Search the archive"><button>Search</button></form><a class="subscribe" href="/subscribe">Subscribe from two pounds weekly</a></header>
<nav class="main-nav" aria-label="Sections"><ul>{nav}</ul></nav>
<div class="breadcrumbs"><a href="/">Home</a> › <a href="/coast">Coast</a> › Islands</div>
<main id="content">
<article class="story" itemscope itemtype="https://schema.org/NewsArticle">
<header class="story-header">
<p class="kicker">{kicker}</p>
<h1 itemprop="headline">{title}</h1>
<p class="byline">By <a rel="author" href="/people/{author.split()[0].lower()}">{author}</a>, <time datetime="{date}">{date}</time></p>
</header>
<div class="share-buttons" aria-label="Share"><a href="https://social.example/share?u={slug}">Share on Chirper</a><a href="mailto:?subject=Read">Email this story</a><button>Copy link</button></div>
<div class="story-body" itemprop="articleBody">
{body}
</div>
<aside class="newsletter-signup"><h3>Get the morning bulletin</h3><p>Join thirty thousand subscribers. Unsubscribe whenever you like.</p><form><input type="email" placeholder="Your email"><button>Sign me up</button></form></aside>
<footer class="story-footer"><ul class="tags"><li><a href="/tag/tides">Tides</a></li><li><a href="/tag/islands">Islands</a></li></ul></footer>
</article>
<section class="related-stories" aria-label="Related"><h2>More from the coast</h2><ul>{rel}</ul></section>
<section id="comments" class="comments"><h2>Readers respond</h2><ol>{com}</ol><a href="/login">Log in to join the discussion</a></section>
</main>
<aside class="sidebar" role="complementary"><h2>Most read</h2><ol><li><a href="/stories/ferry-fares">Fares to rise again</a></li><li><a href="/stories/puffin">Puffin wins photograph prize</a></li></ol><div class="advert">Advertisement: Galbraith’s waterproof trousers</div></aside>
<footer class="site-footer" role="contentinfo"><nav><a href="/about">About us</a> <a href="/privacy">Privacy policy</a> <a href="/complaints">Complaints</a> <a href="/jobs">Vacancies</a></nav><p>© The Orrin Courier Limited. Registered under number 004711.</p></footer>
<script>window.dataLayer = window.dataLayer || [];</script>
</body>
</html>
'''

def boxes_news(slug, title, kicker, author, date, body):
    nav = ''.join(f'<span class="css-nv1"><a class="css-l0" href="/{n.lower()}">{n}</a></span>' for n in NAV)
    rel = ''.join(f'<div class="css-rl2"><a class="css-l0" href="/stories/{u}"><h4>{t}</h4></a><div class="css-ts">4 hours ago</div></div>' for t, u in RELATED)
    com = ''.join(f'<div class="css-cm3"><div>{a}</div><div>{c}</div><a href="#reply">Reply</a></div>' for a, c in COMMENTS)
    paragraphs = body.split('\n\n')
    middle = '<div class="css-promo"><div>Read also</div><a href="/stories/herring">Herring shoals return to Tarbet Sound</a></div>\n<div class="css-ad">Advertisement<div>Scroll down to continue</div></div>'
    text = '\n'.join(paragraphs[:2] + [middle] + paragraphs[2:])
    return f'''<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<title>{title} - Harbour Gazette</title>
<style>.css-l0{{color:#036}}</style>
</head>
<body>
<div id="app">
<div class="css-top"><div class="css-lg"><a href="/">Harbour Gazette</a></div><div class="css-nvw">{nav}</div><div class="css-ac"><a href="/login">Sign in</a> <a href="/register">Register</a></div></div>
<div class="css-gdpr"><div>Your privacy matters. This website stores technologies on your device.</div><div class="css-bt">Agree and close</div></div>
<div class="css-wrap">
<div class="css-left"><div class="css-h">Trending</div><div><a href="/t/1">#ferryfiasco</a></div><div><a href="/t/2">#stormwatch</a></div><div><a href="/t/3">#oysterfest</a></div></div>
<div class="css-mid">
<div class="css-kk">{kicker}</div>
<h1 class="css-hd">{title}</h1>
<div class="css-by"><a href="/people/{author.split()[0].lower()}">{author}</a> <span>{date}</span> <span>6 min read</span></div>
<div class="css-sh"><a href="https://social.example/s">Tweet</a><a href="https://social.example/p">Pin</a><a href="https://social.example/w">WhatsApp</a></div>
<div class="css-art" id="article-body">
{text}
</div>
<div class="css-rel"><h3>You may like</h3>{rel}</div>
<div class="css-cmt"><h3>3 comments</h3>{com}</div>
</div>
<div class="css-right"><div class="css-nl"><b>Gazette Premium</b><div>Unlimited access for a shilling monthly. Cancel online.</div></div></div>
</div>
<div class="css-ft"><a href="/imprint">Imprint</a><a href="/terms">Terms of service</a><a href="/cookies">Cookie settings</a><div>All rights reserved, Gazette Publishing House</div></div>
</div>
</body>
</html>
'''

GAUGES = '''<p>The last wooden tide staff of the Orrin islands was taken down on Tuesday morning. In its place hangs a small grey box that looks down at the water sixty times an hour and tells the mainland what it sees.</p>

<p>“It is quieter than my uncle,” said Effie Munro, who has read the staff at Skerry Point every morning for thirty-one years. “But it does not make tea.”</p>

<h2>Sixty readings an hour</h2>
<p>The new gauges measure the distance to the water with radar. According to the <a href="https://harbour.example/orrin/">harbour board</a>, they are exact to three millimetres in calm weather. In a storm the error grows to <em>two centimetres</em>, which is still better than a wet staff read by torchlight.</p>

<figure><img src="/photos/box.jpg" alt="A grey box under a pier"><figcaption>The new gauge under the pier at Skerry Point. Photograph: Una Reid</figcaption></figure>

<p>Four of the six stations have been converted so far. The remaining two, at Kelvick and Tarbet Sound, follow in the autumn, once the divers have found something solid to screw the brackets to.</p>

<blockquote><p>We are not replacing people. We are replacing getting up at four.</p></blockquote>

<h2>What it costs</h2>
<p>Each gauge costs about as much as a small car, and the batteries have to be changed twice a year. The money comes from the ferry service, which hopes to save it again by sending fewer boats out at the wrong moment.</p>

<ul><li>Skerry Point: in service</li><li>Orrin Pier: in service since June</li><li>Kelvick: planned for October</li></ul>

<p>For Munro, the change has one advantage. “I can finally look at the sea,” she said, “without having to write anything down.”</p>'''
SURGE = '''<p>The storm that crossed the coast on Sunday night lifted the sea by almost a metre above the predicted level, flooded the lower car park in Kelvick and carried off a kiosk.</p>

<p>Nobody was hurt. The kiosk was found on Monday afternoon, upright and with its shutters closed, on a beach four kilometres to the east. Its owner intends to leave it there.</p>

<h2>Hour by hour</h2>
<table><caption>Water level at Kelvick, in metres</caption><thead><tr><th>Time</th><th>Predicted</th><th>Measured</th></tr></thead><tbody><tr><td>20:00</td><td>3.1</td><td>3.6</td></tr><tr><td>22:00</td><td>3.9</td><td>4.7</td></tr><tr><td>00:00</td><td>3.2</td><td>4.1</td></tr></tbody></table>

<p>The difference between the two columns is the surge. Low pressure lets the sea rise, by about a centimetre for each hectopascal, and the wind does the rest by pushing the water into the bay.</p>

<p>Forecasters had warned of the storm since Thursday, but expected it to pass further north. “It turned left,” said one of them, who asked not to be named because the matter is embarrassing.</p>

<p>The council will discuss on Friday whether the barrier at the old dock should be raised. An estimate from <a href="/stories/barrier">last year</a> put the price at four million.</p>'''
OPINION = '''<p>I have been told that nobody needs a tide table any more. The telephone knows. It knows where I stand, it knows the moon, and it knows before I do that my boots will be wet.</p>

<p>And yet the yellow booklet hangs beside every kitchen door in this town, on a string, with a pencil. People say it is habit. I think it is arithmetic.</p>

<p>A table shows a month at once. You see the springs come and go like breathing; you see that the low water you want falls on a Wednesday, and that the next one as good is five weeks off. No screen that answers one question at a time will ever show you that.</p>

<h3>The pencil matters</h3>
<p>In the margins of my grandmother’s booklets there are notes: <i>fog</i>, <i>good mussels</i>, <i>Hamish late again</i>. Put together they make a diary of forty years. I have tried to write in the margin of my telephone.</p>

<p>So keep your forecasts, which are better than mine. I shall keep the string, the pencil and the booklet, and we shall see who is drier.</p>'''
INTERVIEW = '''<p>Iain Galbraith has written software for tide gauges for twenty years. His library, Ebbtide, now runs at most harbours of the northern coast. We met him at low water.</p>

<p><strong>Why did you write it?</strong></p>

<p>Because I had to type numbers from a fax into a spreadsheet every Monday. After a year of that you will write anything.</p>

<p><strong>What is difficult about tides? The moon is rather regular.</strong></p>

<p>The moon is. The sea bed is not. A wave that meets shallow water changes its shape, and then you need thirty-seven constituents where four should do. The code for that is only a few lines:</p>

<pre><code>for c in constituents:
    level += c.amplitude * cos(c.speed * t + c.phase)</code></pre>

<p>Everything else in the library is about sensors that lie.</p>

<p><strong>They lie?</strong></p>

<p>All of them. A float sticks, a radar sees a gull, a pressure sensor grows barnacles. The interesting question is never what the sensor said. It is how much you should believe it.</p>

<p><strong>What comes next?</strong></p>

<p>Breakfast. Then the <a href="https://harbour.example/south/">southern stations</a>.</p>'''
LIVE = '''<p><strong>Here is what we know so far:</strong></p>

<ul><li>All ferries to the islands are suspended until noon.</li><li>The causeway to Tarbet is closed.</li><li>High water is expected at 11:40, at 5.2 metres.</li></ul>

<h2>11:52 The water is falling</h2>
<p>The gauge at Orrin Pier shows 5.06 metres, six less than ten minutes ago. The harbour master says that the worst is over.</p>

<h2>11:15 Sandbags on Quay Street</h2>
<p>Volunteers have laid two rows of sandbags in front of the bakery. The baker is handing out rolls.</p>

<h2>10:30 Causeway closed</h2>
<p>The police have closed the causeway. Two cyclists who were on it have been brought back, wet and cross.</p>

<p>Numbers to call: harbour office 555-0147, road service 555-0163.</p>'''

NEWS = [
    ('semantic', 'new-gauges', 'Radar replaces the last wooden tide staff', 'Islands', 'Una Reid', '2031-04-02', GAUGES),
    ('boxes', 'storm-surge', 'Storm carries kiosk along the coast', 'Weather', 'Angus Baird', '2031-02-17', SURGE),
    ('semantic', 'tide-table', 'In praise of the tide table on a string', 'Opinion', 'Flora Ross', '2031-01-20', OPINION),
    ('boxes', 'interview', '“All sensors lie”', 'Interview', 'Una Reid', '2031-03-11', INTERVIEW),
    ('semantic', 'live', 'Live: high water at Orrin', 'Live', 'Angus Baird', '2031-02-16', LIVE),
]

MENU = ['Instruments', 'Clothing', 'Charts', 'Books', 'Gifts', 'Clearance']
RECOMMENDED = [('Brass barometer', '£64.00'), ('Oilskin hat', '£22.50'), ('Pocket almanac', '£7.95'), ('Barnacle scraper', '£11.00')]

def semantic_shop(slug, name, price, pitch, sections, specs, reviews):
    menu = ''.join(f'<li><a href="/c/{m.lower()}">{m}</a></li>' for m in MENU)
    rec = ''.join(f'<li class="product-card"><a href="/p/{n.lower().replace(" ", "-")}"><img src="/img/r.jpg" alt="{n}"><h3>{n}</h3></a><span class="price">{p}</span><button>Quick add</button></li>' for n, p in RECOMMENDED)
    spec = ''.join(f'<tr><th scope="row">{k}</th><td>{v}</td></tr>' for k, v in specs)
    rev = ''.join(f'<article class="review"><h3>{t}</h3><p>{b}</p><p class="reviewer">{a}</p></article>' for t, b, a in reviews)
    return f'''<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{name} – Galbraith Marine Supplies</title><link rel="canonical" href="https://shop.example/p/{slug}"><script src="/cart.js" defer></script></head>
<body class="product-page">
<div class="promo-bar">Free delivery above fifty pounds until Sunday midnight</div>
<header><a href="/" class="logo">Galbraith Marine Supplies</a><form role="search"><input name="q"><button>Find</button></form><a href="/basket" class="basket">Basket (0)</a><a href="/account">My account</a></header>
<nav aria-label="Departments"><ul>{menu}</ul></nav>
<nav class="breadcrumb" aria-label="Breadcrumb"><ol><li><a href="/">Shop</a></li><li><a href="/c/instruments">Instruments</a></li></ol></nav>
<main>
<section class="product" itemscope itemtype="https://schema.org/Product">
<div class="gallery"><img src="/img/{slug}.jpg" alt="{name}"></div>
<div class="product-info">
<h1 itemprop="name">{name}</h1>
<p class="product-price"><span itemprop="price">{price}</span> <small>including tax</small></p>
<p class="availability">In stock, ships tomorrow</p>
<form class="add-to-cart"><label>Quantity <input type="number" value="1"></label><button type="submit">Add to basket</button><button type="button">Save to wishlist</button></form>
</div>
<div class="product-description" itemprop="description"><h2>Description</h2>{pitch}{sections}</div>
<section class="specifications"><h2>Specification</h2><table><tbody>{spec}</tbody></table></section>
<section class="reviews"><h2>Customer reviews</h2>{rev}</section>
</section>
</main>
<section class="recommendations"><h2>Customers also bought</h2><ul>{rec}</ul></section>
<section class="newsletter"><h2>Ten percent off your first order</h2><form><input type="email"><button>Subscribe</button></form></section>
<footer><ul><li><a href="/shipping">Delivery</a></li><li><a href="/returns">Returns policy</a></li><li><a href="/contact">Contact</a></li></ul><p>Galbraith Marine Supplies Limited, VAT registered. Cards accepted.</p></footer>
</body>
</html>
'''

def boxes_shop(slug, name, price, pitch, sections, specs, reviews):
    menu = ''.join(f'<a class="m-item" href="/c/{m.lower()}">{m}</a>' for m in MENU)
    rec = ''.join(f'<div class="rec-item"><a href="/p/{n.lower().replace(" ", "-")}">{n}</a><div>{p}</div></div>' for n, p in RECOMMENDED)
    spec = ''.join(f'<tr><td>{k}</td><td>{v}</td></tr>' for k, v in specs)
    rev = ''.join(f'<div class="rv"><div class="rv-t"><b>{t}</b></div><div class="rv-b">{b}</div><div class="rv-a">{a}</div></div>' for t, b, a in reviews)
    return f'''<!DOCTYPE html>
<html>
<head><meta charset="utf-8"><title>{name} | quayside.example</title></head>
<body>
<div id="overlay" style="display:none"><div>Wait! Take this coupon before leaving.</div></div>
<div id="top"><div class="m-logo"><a href="/">Quayside Depot</a></div><div class="m-menu">{menu}</div><div class="m-right"><a href="/help">Help desk</a><a href="/orders">Track order</a></div></div>
<div id="page">
<div id="left-col"><div class="filter-title">Browse categories</div><a href="/c/ropes">Ropes</a><a href="/c/buoys">Buoys</a><a href="/c/lamps">Lamps</a></div>
<div id="product">
<h1 class="p-title">{name}</h1>
<div class="p-price">{price}</div>
<div class="p-buy"><button>Buy now</button><select><option>1</option><option>2</option></select></div>
<div class="p-desc">{pitch}{sections}</div>
<div class="p-spec"><h2>Technical data</h2><table class="spec">{spec}</table></div>
<div class="p-reviews"><h2>Reviews</h2>{rev}</div>
</div>
<div id="right-col"><div class="rec-title">Recommended for you</div>{rec}</div>
</div>
<div id="bottom"><div>Payment methods</div><a href="/gift">Gift vouchers</a><a href="/affiliates">Affiliates</a><div>Quayside Depot trading since 1988</div></div>
</body>
</html>
'''

SHOP = [
    ('semantic', 'radar-gauge', 'Radar tide gauge RG-60', '£1,240.00', '<p>A tide gauge that never gets wet. The RG-60 hangs under a pier, looks down, and reports the distance to the water once a minute.</p>', '<h3>In the box</h3><ul><li>gauge with bracket</li><li>ten metres of cable</li><li>calibration certificate</li></ul><h3>Reading it</h3><p>Connect a laptop and type <code>ebbtide read rg60</code>. See the <a href="/manuals/rg60.pdf">manual</a> for more.</p>', [('Range', '0.5–12 m'), ('Error', '± 3 mm'), ('Power', '12 V, 0.4 W'), ('Housing', 'aluminium, IP67')], [('Does what it says', 'Installed in an hour, has not missed a reading in two winters.', 'A harbour master'), ('Gulls like it', 'Works well, but fit the spikes or you will measure gulls.', 'Sandy')]),
    ('boxes', 'tide-staff', 'Wooden tide staff, 4 m', '£86.00', '<p>Painted larch, with figures that can be read from a rowing boat. Every decimetre is a block of colour; every metre carries its number on three sides.</p><p>Made to order within two weeks in our own workshop.</p>', '<h2>Care</h2><ol><li>Rinse with fresh water in spring.</li><li>Paint every third year.</li><li>Replace after ten.</li></ol>', [('Length', '4 m'), ('Wood', 'larch'), ('Weight', '9.5 kg')], [('Handsome', 'Too good to stand in the mud, but there it stands.', 'Morag'), ('Bit heavy', 'Bring a friend to carry it.', 'Callum')]),
    ('semantic', 'tide-clock', 'Tide clock “Kelvick”', '£48.00', '<p>One hand, one turn between two high waters: the clock in your hall shows at a glance how long the sand will be dry.</p>', '<h3>Setting</h3><p>Set the hand to the top at high water on a day with a full moon. Correct it once a month.</p>', [('Diameter', '18 cm'), ('Case', 'brass'), ('Battery', 'AA, not included')], [('A present that pleased', 'My father checks it more often than the real sea.', 'Ailsa')]),
    ('boxes', 'almanac', 'Nautical almanac of the northern coast', '£14.95', '<p>All tides from Skerry Point to Tarbet Sound on 240 pages, with lights, currents and the telephone numbers of every harbour office.</p><p>The edition has larger type than the last one and, for the first time, a string.</p>', '<h2>Contents</h2><ul><li>Tides by month</li><li>Currents, hour by hour</li><li>Lights and marks</li></ul>', [('Pages', '240'), ('Binding', 'spiral'), ('Language', 'English')], [('The string!', 'Finally. It hangs by the door where it belongs.', 'Flora'), ('Good maps', 'The maps of the currents alone are worth it.', 'Hamish')]),
    ('semantic', 'pressure-sensor', 'Pressure sensor PS-2', '£310.00', '<p>A sensor for places without a pier. The PS-2 lies on the sea bed and weighs the water above it; two of them, ten metres apart, tell waves from tides.</p>', '<h3>Compared with its siblings</h3><table><thead><tr><th>Model</th><th>Depth</th><th>Memory</th></tr></thead><tbody><tr><td>PS-1</td><td>20 m</td><td>30 days</td></tr><tr><td>PS-2</td><td>60 m</td><td>400 days</td></tr></tbody></table>', [('Depth', 'to 60 m'), ('Error', '± 8 mm'), ('Anchor', '<ul><li>chain</li><li>plate</li></ul>')], [('Barnacles', 'Scrape it every June and it will serve you well.', 'Iain'), ('Honest', 'The error they state is the error I measured.', 'Effie')]),
]
for kind, render, pages in (('news', {'semantic': semantic_news, 'boxes': boxes_news}, NEWS), ('shop', {'semantic': semantic_shop, 'boxes': boxes_shop}, SHOP)):
    os.makedirs(kind, exist_ok=True)
    for layout, slug, *rest in pages:
        with open(f'{kind}/{slug}.html', 'w') as f: f.write(render[layout](slug, *rest))
