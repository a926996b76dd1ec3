from .families import Families as Families, FamilyLook as FamilyLook
from .members import Member as Member, Members as Members
from .workshop import VariantWorkshop as VariantWorkshop, Variation as Variation
