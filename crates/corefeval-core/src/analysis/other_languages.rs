//! Words of languages without a list of pronouns, so that their texts are not taken for those of a language with a list.

/// Pronouns and other frequent words of languages without a list, by the code of the language, in lower case. Languages
/// that share most of them have one row. Words that are frequent in a language with a list are left out, except those in
/// that list.
pub(super) static OTHER_LANGUAGES: &[(&str, &str)] = &[
    (
        "bg",
        "аз ти той тя ние вие те мен ме теб него го нея я нас ни вас ви тях ги ми му ѝ им си се свой своя своето своята \
         своите мой моя твой негов неговия неговата неин нейния техен техния наш ваш този тази това тези онзи който която \
         което които кой какво",
    ),
    (
        "ca",
        "jo tu ell ella nosaltres vosaltres ells elles vostè em ens us les li lo la hi ho me te se s' m' t' l' \
         meu meva meus meves teu teva seu seva seus seves nostre nostra nostres vostre vostra llur aquest aquesta aquests \
         aquestes aquell aquella això allò que qui què qual quals amb és",
    ),
    (
        "cs",
        "já ty on ona ono my vy oni ony mě mne mi mně mnou tebe tě ti tobě jeho jej ho něho mu jemu němu ním jí ji ní nás \
         nám vás vám jich je nich jim nim jimi se si sebe sobě můj moje tvůj svůj své svou svého svém svých náš naše váš \
         jejich její ten ta toho tomu co kdo který která které jenž že",
    ),
    ("fa", "او آن این تو شما آنها آنان ایشان وی خود خودش که را است"),
    (
        "fi",
        "minä sinä hän se me te he minut sinut hänet minun sinun hänen sen meidän teidän heidän niiden minua häntä sitä \
         meitä heitä minulle hänelle sille heille itse itsensä tämä tuo nämä nuo tämän joka jotka mikä mitä kuka jonka \
         jota ei oli että",
    ),
    (
        "hr",
        "ja ti on ona ono mi vi oni one mene me tebe te njega ga nje je nju nas vas njih ih meni mu joj nam vam im se sebe \
         svoj svoja svoje svoju moj moja tvoj njegov njegova njezin njen njihov naš vaš ovaj ova ovo taj ta koji koja koje \
         što tko ko nije",
    ),
    (
        "hu",
        "én te ő mi ti ők engem téged őt minket őket nekem neked neki nekünk nekik ez az ezt azt ezek azok aki ami \
            akik amely maga magát saját övé és nem hogy",
    ),
    (
        "it",
        "io tu lui lei egli ella esso essa noi voi loro essi esse mi ti si ci vi lo la li le gli me te sé se mio mia miei \
         mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre vostro vostra questo questa questi queste \
         quello quella quelli quelle ciò chi che cui quale il è",
    ),
    ("ja", "彼 彼女 彼ら 私 僕 俺 あなた それ これ その この 自分 は が を に の"),
    (
        "nl",
        "ik je jij u hij ze zij we wij jullie het mij me jou jouw hem haar ons onze hun hen zich zijn mijn uw die dat deze \
         dit wie wat er zelf iemand een niet van",
    ),
    (
        "no",
        "jeg eg æ du han hun ho hen den det dei vi dere dykk meg mig deg dig seg sig oss os ham henne hende dem mitt mine \
         ditt dine sin sitt sine hans hennes hendes dens dets vår vårt våre vores deres dykkar dette disse denne hva hvem \
         hvad kven som selv sjølv er og ikke ikkje på av til fra",
    ),
    (
        "pl",
        "ja ty on ona ono my wy oni one mnie mi mną ciebie cię ci tobą jego niego jemu mu niemu nim nią jej niej ją nas nam \
         nami was wam wami ich nich im nimi siebie się sobie sobą mój moja moje moi twój twoja swój swoja swoje swego \
         swoją nasz nasza nasze wasz ten ta te tego tej tym co kto który która które którzy nie jest że",
    ),
    (
        "pt",
        "eu tu ele ela nós vós eles elas você vocês me te se nos vos lhe lhes mim ti si lo la los las seu sua seus suas meu \
         minha meus minhas teu tua nosso nossa nossos nossas dele dela deles delas este esta estes estas esse essa esses \
         essas isto isso aquele aquela aquilo que quem qual cujo cuja não um uma",
    ),
    (
        "ro",
        "eu tu ea noi voi ei ele mă te îl vă îi le mi ți își se mie ție lui lor meu mea mei mele tău ta său sa săi sale \
         nostru noastră vostru acest această acesta aceasta acela aceea care cine ce și nu este",
    ),
    (
        "sv",
        "jag du han hon hen den det vi ni dem dom mig dig sig oss er honom henne mitt mina ditt dina sin sitt sina hans \
         hennes dess vår vårt våra ert era deras denna detta dessa vad vem som själv och inte på av till är att från",
    ),
    (
        "tr",
        "ben sen biz siz onlar beni seni onu bizi sizi onları bana sana ona bize size onlara benim senin onun bizim sizin \
         onların bu şu bunu bunun kendi kendisi kendini ve bir için",
    ),
    (
        "uk",
        "я ти він вона воно ми ви вони мене мені мною тебе тобі його нього йому ним її неї їй нею нас нам нами вас вам вами \
         їх них їм ними себе собі собою свій свого свою своє своєї мій моя твій наш наша ваш їхній це цей ця який яка яке \
         які що хто",
    ),
];
